/** What the files are called that can be read here, by their contents. */
const readable = ['ogg', 'mp3', 'wav'] as const;

export type Readable = (typeof readable)[number];

export const isReadable = (extension: string): extension is Readable => readable.some((name) => name === extension);
