/// The keys at which payloads carry links to media.
package enum PayloadMediaKeys {
    /// Keys an app's own code reads, beside `aps` or in the data of an FCM message; dots lead into objects.
    ///
    /// There is no standard: these are what articles, SDKs and their documentation use.
    package static let own = [
        "image_url", "image-url", "imageUrl", "imageURL", "image", "picture", "picture_url", "photo_url",
        "attachment-url", "attachment_url", "attachmentUrl", "media_url", "media-url", "mediaUrl",
        "media_attachment",
        "media-attachment-url", "thumbnail_url", "video_url", "audio_url", "gif_url", "big_picture",
        "rich-media",
        "attachment.url", "media.url", "image.url", "fcm_options.image", "itbl.attachment-url", "ab.att.url",
    ]
}
