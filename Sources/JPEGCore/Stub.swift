package enum JPEGStub {}
