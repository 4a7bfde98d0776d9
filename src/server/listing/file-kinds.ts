/**
 * Icons for kinds of files in a listing.
 *
 * Rules: the kind follows from the extension alone. The icon is a background of the name: it repeats what the name says
 * (the extension, the slash of a directory), so it is hidden from screen readers. Its grey has a contrast of at least 3
 * to 1 to both backgrounds (WCAG 2.2, 1.4.11).
 */

/** By CSS class of a name: its extensions, and the drawing, 16 units square. */
const kinds: Readonly<Record<string, { readonly extensions: string; readonly drawing: string }>> = {
  folder: { extensions: '', drawing: '<path d="M1 3h5l2 2h7v9H1z" fill="#6b7785"/>' },
  file: { extensions: '', drawing: '<path d="M3.5 1.5h6l3 3v10h-9z"/>' },
  text: {
    extensions: 'txt md csv log pdf doc docx odt rtf tex epub xls xlsx ods ppt pptx odp',
    drawing: '<path d="M3.5 1.5h6l3 3v10h-9zM6 6h4M6 8.5h4M6 11h4"/>',
  },
  code: {
    extensions:
      'html htm css js mjs cjs ts tsx jsx json xml yaml yml toml c h cpp hpp rs go py rb java kt swift sh bat ps1 sql php wasm map',
    drawing: '<path d="M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4"/>',
  },
  image: {
    extensions: 'png jpg jpeg gif webp avif svg bmp ico tif tiff heic psd',
    drawing: '<path d="M1.5 2.5h13v11h-13zM2 12l4-4 3 3 2-2 3 3"/><circle cx="11" cy="5.5" r="1"/>',
  },
  audio: {
    extensions: 'mp3 wav ogg oga flac m4a aac opus mid midi',
    drawing: '<path d="M6 12V3l7-1.5V10.5"/><circle cx="4.5" cy="12" r="1.5"/><circle cx="11.5" cy="10.5" r="1.5"/>',
  },
  video: {
    extensions: 'mp4 m4v webm mkv avi mov ogv mpg mpeg m3u8',
    drawing: '<path d="M1.5 3.5h13v9h-13zM6.5 6v4l4-2z"/>',
  },
  archive: {
    extensions: 'zip gz tgz bz2 xz zst br 7z rar tar deb rpm jar iso dmg apk',
    drawing: '<path d="M1.5 2.5h13v3h-13zM2.5 5.5v8h11v-8M6.5 8h3"/>',
  },
}

const kindByExtension: ReadonlyMap<string, string> = new Map(
  Object.entries(kinds).flatMap(([kind, { extensions }]) =>
    extensions.split(' ').map((extension) => [extension, kind]),
  ),
)

export function kindOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return (dot < 0 ? undefined : kindByExtension.get(name.slice(dot + 1).toLowerCase())) ?? 'file'
}

const pictures = Object.entries(kinds).map(([kind, { drawing }]) => {
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#6b7785">${drawing}</svg>`
  return `.${kind}{background-image:url('data:image/svg+xml,${encodeURIComponent(image)}')}`
})

/** A rule for each kind. */
export const kindStyle: string = `${pictures.join('\n')}\n.folder{font-weight:600}\n`
