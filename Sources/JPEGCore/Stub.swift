package import Pixels
package enum Subsampling: Sendable { case gray, s420, s444; package var name: String { "4:2:0" } }
package struct CoefficientImage { package init(_ b: Bitmap, subsampling: Subsampling) {} 
package static func memoryNeed(size: PixelSize, subsampling: Subsampling, maxBytes: Int) -> Int { size.area*3 + maxBytes } }
package struct EncodedJPEG: Sendable { package enum Limit: Sendable { case budget, quality }
package let bytes: [UInt8]; package let quality: Double; package let subsampling: Subsampling; package let limitedBy: Limit }
package enum BudgetFit { case fits(EncodedJPEG), tooLarge(bytesAtFloor: Int) }
package struct BudgetSearch { package init(maxBytes: Int, minQuality: Double, maxQuality: Double) {}
package func fit(_ image: CoefficientImage, isCancelled: () -> Bool) -> BudgetFit? { nil } }
