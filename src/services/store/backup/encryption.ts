import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** The size of a chunk of plain text. Each one is sealed separately, so that a file of any size can be read in bounded memory. */
const CHUNK_BYTES = 64 * 1024;

/** 128 MiB and about half a second for each guess of a passphrase. */
const SCRYPT_COST = { N: 2 ** 17, r: 8, p: 1 } as const;
/** The most memory that a file may demand from the machine that reads it. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const memoryOf = ({ N, r }: { N: number; r: number }): number => 128 * N * r;

/** How the key is derived, as stored in the header. The salt is new for each file, so that no two files are sealed with the same key. */
export const encryptionSchema = z
  .strictObject({
    cipher: z.literal(CIPHER),
    kdf: z.literal('scrypt'),
    N: z
      .int()
      .min(2 ** 14)
      .max(2 ** 20)
      .refine((cost) => Number.isInteger(Math.log2(cost))),
    r: z.int().min(1).max(32),
    p: z.int().min(1).max(4),
    salt: z.string().regex(/^[0-9a-f]{64}$/),
  })
  .refine((parameters) => memoryOf(parameters) <= MAX_MEMORY_BYTES);

type Encryption = z.output<typeof encryptionSchema>;

export const newEncryption = (): Encryption => ({
  cipher: CIPHER,
  kdf: 'scrypt',
  ...SCRYPT_COST,
  salt: randomBytes(SALT_BYTES).toString('hex'),
});

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export function deriveKey(passphrase: string, encryption: Encryption): Promise<Buffer> {
  const { N, r, p, salt } = encryption;
  // Node counts a little more than the algorithm's own memory.
  const maxmem = memoryOf(encryption) + 1024 * 1024;
  return derive(passphrase, Buffer.from(salt, 'hex'), KEY_BYTES, { N, r, p, maxmem });
}

/** A chunk cannot be decrypted: the key is wrong, or the file was changed. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

interface Sealing {
  key: Buffer;
  /** Authenticated with each chunk, so that no chunk is valid in another file. */
  header: Buffer;
}

/** Contains the chunk's number and whether it is the last one, so that a missing, repeated or moved chunk is detected. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(index, 0, 6);
  nonce.writeUInt8(Number(isLast), NONCE_BYTES - 1);
  return nonce;
}

export async function* seal(plaintext: AsyncIterable<Buffer>, { key, header }: Sealing): AsyncGenerator<Buffer> {
  for await (const { chunk, index, isLast } of chunksOf(plaintext, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast), { authTagLength: TAG_BYTES });
    cipher.setAAD(header);
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

export async function* unseal(sealed: AsyncIterable<Buffer>, { key, header }: Sealing): AsyncGenerator<Buffer> {
  for await (const { chunk, index, isLast } of chunksOf(sealed, CHUNK_BYTES + TAG_BYTES)) {
    if (chunk.length < TAG_BYTES) throw new SealError('A chunk is too short.');
    const decipher = createDecipheriv(CIPHER, key, nonceOf(index, isLast), { authTagLength: TAG_BYTES });
    decipher.setAAD(header);
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
    const plaintext = decipher.update(chunk.subarray(0, -TAG_BYTES));
    yield Buffer.concat([plaintext, finish(decipher)]);
  }
}

function finish(decipher: { final(): Buffer }): Buffer {
  try {
    return decipher.final();
  } catch (error) {
    throw new SealError('A chunk is not authentic.', { cause: error });
  }
}

/** All chunks have the same size, except the last, which may be shorter. There is at least one. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number) {
  let buffers: Buffer[] = [];
  let length = 0;
  let index = 0;
  for await (const buffer of source) {
    buffers.push(buffer);
    length += buffer.length;
    if (length <= size) continue;
    let joined = Buffer.concat(buffers);
    // One chunk is always held back, because it may be the last one.
    for (; joined.length > size; joined = joined.subarray(size)) {
      yield { chunk: joined.subarray(0, size), index, isLast: false };
      index += 1;
    }
    buffers = [joined];
    length = joined.length;
  }
  yield { chunk: Buffer.concat(buffers), index, isLast: true };
}
