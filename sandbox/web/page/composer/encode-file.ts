import type { EncodedFile } from '../../protocol.ts';

/** Encodes a file as base64, the format in which files are sent. */
export async function encodeFile(file: File): Promise<EncodedFile> {
  const dataUrl = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  const base64 = dataUrl.slice(dataUrl.indexOf(',') + 1);
  return { name: file.name, base64, ...(file.type !== '' && { contentType: file.type }) };
}
