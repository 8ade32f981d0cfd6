/// placeholder
enum BatchState { static let folderName = ".attachprep" }
