/** Every order has a unique word as its prompt, which identifies it. Titles of songs begin with it in upper case. */
export const promptIn = (words: string | undefined): string | undefined =>
  words?.match(/\bq[0-9a-z]+n\d+t\d+x\b/i)?.[0].toLowerCase();

/** A button press has no words, so it is identified by the order of the message and by the image that it enlarges. */
export const pressId = (prompt: string, index: number | string): string => `${prompt}/U${index}`;
