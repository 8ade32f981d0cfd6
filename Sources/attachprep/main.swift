import AttachmentPrep
print(AttachmentPreparer().record(of: .file("x"), into: .directory("y")).outcome.rawValue)
