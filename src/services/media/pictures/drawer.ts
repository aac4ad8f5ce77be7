type Sharp = typeof import('sharp')['default'];

/** Loaded with the first picture: it costs more memory and time than a bot should need that has only just started. */
export async function drawer(): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  // Settings of the whole process: nothing is drawn twice here, and one thread a picture is what memory is counted for.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
