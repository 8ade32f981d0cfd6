/// placeholder
final class ProgressBar { func erase() {} }
