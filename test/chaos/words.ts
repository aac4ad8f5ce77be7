/** Every order has its own word. */
export const promptIn = (words: string | undefined): string | undefined => words?.match(/\bq[0-9a-z]+n\d+t\d+x\b/)?.[0];

/** A button press has no words, so it is identified by the order of the message and by the image that it enlarges. */
export const pressOf = (prompt: string, index: number | string): string => `${prompt}/U${index}`;
