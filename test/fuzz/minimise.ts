const MAX_MS = 10_000;

/** Minimizes the input of a finding by removing pieces for as long as the finding still occurs. */
export async function minimised(input: Buffer, isSame: (input: Buffer) => Promise<boolean>): Promise<Buffer> {
  const end = performance.now() + MAX_MS;
  let least = input;
  for (let size = Math.ceil(input.length / 2); size >= 1 && performance.now() < end; size = Math.floor(size / 2)) {
    for (let at = 0; at < least.length && performance.now() < end; ) {
      const shorter = Buffer.concat([least.subarray(0, at), least.subarray(at + size)]);
      if (await isSame(shorter)) least = shorter;
      else at += size;
    }
  }
  return least;
}
