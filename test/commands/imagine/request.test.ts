import { describe, expect, it } from 'vitest';
import { type ImagineValues, imagineRequest } from '../../../src/commands/imagine/request.ts';
import type { Attachment } from '../../../src/discord/options.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

const MIB = 1024 * 1024;

function file(changes: Partial<Attachment> = {}): Attachment {
  const address = 'https://files.example/ephemeral-attachments/1/2/fox.png?ex=1&is=2&hm=3';
  return { id: '2', name: 'fox.png', address, size: 1_000, mediaType: 'image/png', ...changes };
}

function refusalOf(values: Partial<ImagineValues>): Refusal | undefined {
  const request = imagineRequest({ prompt: 'a fox', ...values });
  return request instanceof Refusal ? request : undefined;
}

const sentByUrl = { medium: 'image', takes: 'address' } as const;

describe('The request of /imagine', () => {
  it('The request of /imagine contains the URLs of its images in the order of the options', () => {
    const image4 = file({ name: 'den.webp', address: 'https://files.example/den.webp' });
    expect(imagineRequest({ prompt: ' a fox ', image4, image: file() })).toEqual({
      prompt: 'a fox',
      typed: 'a fox',
      references: [
        { address: file().address, name: 'fox.png', ...sentByUrl },
        { address: 'https://files.example/den.webp', name: 'den.webp', ...sentByUrl },
      ],
    });
  });

  it('The request of /imagine without image options has no images', () => {
    expect(imagineRequest({ prompt: 'a fox' })).toEqual({ prompt: 'a fox', typed: 'a fox' });
  });

  it.each([
    ['https://x.example/1.png https://x.example/2.png', ['https://x.example/1.png', 'https://x.example/2.png']],
    ['https://x.example/1.png,https://x.example/2.png', ['https://x.example/1.png', 'https://x.example/2.png']],
    [' <https://x.example/1.png> ,\n<http://x.example/2>, ', ['https://x.example/1.png', 'http://x.example/2']],
    ['https://x.example/w_100,h_50/1.png', ['https://x.example/w_100,h_50/1.png']],
    [' ,, ', []],
  ])('The request of /imagine contains the links from "%s"', (links, urls) => {
    const request = imagineRequest({ prompt: 'a fox', links });
    if (request instanceof Refusal) throw request;
    expect(request.references?.map(({ address }) => address) ?? []).toEqual(urls);
    expect(request.prompt).toBe('a fox');
    expect(refusalOf({ links })).toBeUndefined();
  });
});

describe('The validation of /imagine', () => {
  it.each(['', '   ', '\n\t', '\u200b\u200d\u2060'])('The validation refuses a prompt without text (%j)', (prompt) => {
    expect(refusalOf({ prompt })?.key).toBe('refusals.optionPromptEmpty');
  });

  it.each(['image/svg+xml', 'IMAGE/PNG', undefined])(
    'The validation does not refuse a file with the stated media type %s',
    (mediaType) => {
      expect(refusalOf({ image: file({ mediaType }) })).toBeUndefined();
    },
  );

  it('The validation refuses a file whose media type is not an image type', () => {
    const refusal = refusalOf({ image: file(), image3: file({ name: 'notes.txt', mediaType: 'text/plain' }) });
    expect(refusal?.key).toBe('refusals.notAnImage');
    expect(refusal?.variables).toEqual({ name: 'notes.txt', mediaType: 'text/plain' });
  });

  it('The validation refuses a file of more than 20 MB and accepts one of exactly 20 MB', () => {
    expect(refusalOf({ image5: file({ size: 20 * MIB }) })).toBeUndefined();
    expect(refusalOf({ image5: file({ size: 20 * MIB + 1 }) })?.key).toBe('refusals.imageTooLarge');
  });

  it('The validation refuses more than five images, files and links combined', () => {
    const files = { image: file(), image2: file(), image3: file() };
    const links = 'https://x.example/1 https://x.example/2';
    expect(refusalOf({ ...files, links })).toBeUndefined();
    expect(refusalOf({ ...files, links: `${links} https://x.example/3` })?.variables).toEqual({
      count: '6',
      max: '5',
    });
  });

  it.each([
    'x.example/1.png',
    'ftp://x.example/1.png',
    'javascript:alert(1)',
    'https://',
    'https://member:secret@x.example/1.png',
    'data:image/png;base64,AAAA',
    'my cat',
  ])('The validation refuses the link %s', (links) => {
    expect(refusalOf({ links })?.key).toBe('refusals.imageUrlInvalid');
  });

  it('The refusal of a long link shortens it to fit into the message', () => {
    const link = refusalOf({ links: 'x'.repeat(3_000) })?.variables.link;
    expect(link).toHaveLength(100);
  });

  it('The validation refuses flags in the excluded terms and numbers out of range in options and flags', () => {
    expect(refusalOf({ negative: 'text --tile' })?.key).toBe('refusals.optionNegativeHasFlag');
    expect(refusalOf({ prompt: 'a fox --chaos 101' })?.key).toBe('refusals.optionOutOfRange');
    expect(refusalOf({ chaos: 101 })?.key).toBe('refusals.optionOutOfRange');
  });

  it.each([
    ['--ar 16:9', 'refusals.optionPromptOnlyFlags'],
    ['--tile —s 50', 'refusals.optionPromptOnlyFlags'],
    ['a fox --iw 2', 'refusals.optionWeightNoImage'],
  ])('The validation refuses "%s" without an image, which has nothing that its flags apply to', (prompt, key) => {
    expect(refusalOf({ prompt })?.key).toBe(key);
    expect(refusalOf({ prompt, image: file() })).toBeUndefined();
    expect(refusalOf({ prompt: `https://x.example/1.png ${prompt}` })).toBeUndefined();
  });

  it('The validation refuses the option `weight` without an image', () => {
    expect(refusalOf({ weight: 2 })?.key).toBe('refusals.optionWeightNoImage');
    expect(refusalOf({ weight: 2, image: file() })).toBeUndefined();
  });

  it('The validation ignores an option out of range if a typed flag replaces it', () => {
    expect(refusalOf({ prompt: 'a fox --chaos 5', chaos: 101 })).toBeUndefined();
  });
});
