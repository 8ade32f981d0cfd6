package enum CodecsStub {}
