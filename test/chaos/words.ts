/** Every order has a word of its own. */
export const promptIn = (words: string | undefined): string | undefined => words?.match(/\bq[0-9a-z]+n\d+t\d+x\b/)?.[0];

/** The press of a button has no words, so it is named by the order of the message and by the image that it enlarges. */
export const pressOf = (prompt: string, index: number | string): string => `${prompt}/U${index}`;
