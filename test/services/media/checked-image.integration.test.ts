import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { itVariants } from '../../support/variants.ts';
import { noise } from './images.ts';

describe("A member's image", () => {
  let media: Media;
  beforeEach(() => {
    media = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
    );
  });
  afterEach(() => media.close());

  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
    ['gif', 'image/png'],
    ['avif', 'image/webp'],
  ] as const)(
    "A member's image in %s becomes a data URI of %s that decodes to the same bytes",
    async (format, mime) => {
      const checked = await media.checkImage(await noise(30, 20).toFormat(format).toBuffer());
      expect(checked.type.mime).toBe(mime);
      const [head, body = ''] = checked.dataUri.split(',');
      expect(head).toBe(`data:${mime};base64`);
      expect(Buffer.from(body, 'base64').equals(checked.bytes)).toBe(true);
      expect(await media.imageFacts(checked.bytes)).toEqual({ width: 30, height: 20, frames: 1 });
    },
  );

  it("A member's image is sent without metadata about the member", async () => {
    const tagged = await noise(30, 20)
      .jpeg()
      .withExif({ IFD0: { Artist: 'somebody' } })
      .toBuffer();
    expect((await media.checkImage(tagged)).bytes.includes('somebody')).toBe(false);
  });

  itVariants([
    ['an HTML page', Buffer.from('<html></html>')],
    ['a video', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1\0\0\0\x08moov', 'latin1')],
    ['empty', Buffer.alloc(0)],
  ])("A member's image is refused if it is %s", async (_what, bytes) => {
    await expect(media.checkImage(bytes)).rejects.toMatchObject({ kind: 'not-media' });
  });

  it("A member's image is decoded completely, because an intact container may hold damaged pixels", async () => {
    const damaged = await noise(200, 200).png().toBuffer();
    // These bytes are in the first chunk of pixels, so its checksum fails.
    damaged.fill(0x55, 1_000, 2_000);
    expect(await media.imageFacts(damaged)).toMatchObject({ width: 200, height: 200 });
    await expect(media.checkImage(damaged)).rejects.toMatchObject({ kind: 'damaged' });
  });

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    "A member's image is refused if it is a truncated %s file",
    async (format) => {
      const bytes = await noise(200, 200).toFormat(format).toBuffer();
      const half = bytes.subarray(0, bytes.length / 2);
      await expect(media.checkImage(half)).rejects.toMatchObject({ kind: 'damaged' });
    },
  );

  it("A member's image is rotated upright", async () => {
    const rotated = await noise(30, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { bytes } = await media.checkImage(rotated);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 30 });
  });
});
