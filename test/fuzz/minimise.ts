const MAX_MS = 10_000;

/** Minimizes the input of a finding by removing pieces for as long as the finding still occurs. */
export async function minimise(input: Buffer, hasSameFinding: (input: Buffer) => Promise<boolean>): Promise<Buffer> {
  const end = performance.now() + MAX_MS;
  let smallest = input;
  for (let size = Math.ceil(input.length / 2); size >= 1 && performance.now() < end; size = Math.floor(size / 2)) {
    for (let start = 0; start < smallest.length && performance.now() < end; ) {
      const shorter = Buffer.concat([smallest.subarray(0, start), smallest.subarray(start + size)]);
      if (await hasSameFinding(shorter)) smallest = shorter;
      else start += size;
    }
  }
  return smallest;
}
