/** Names, units and what members type: the same in every language. */
export const commonWords = 'Atelier Bot CSV Discord HTTP ID Imagine JSON Niji Prompt Spoiler URL h min niji off s';

/** Words that a language shares with English. A string that consists of them may be equal to the English one. */
export const wordsLikeEnglish: Readonly<Record<string, string>> = {
  de: 'Animation Embeddings Gateway Instrumental Moderation Original Presets Song Text Variation Version Video',
  fr: 'Animation Budget Direct Embeddings Image Images Instructions Instrumental Long Original Permissions Persona Portrait Standard Style Variation Version Vertical anime dollars embedding images',
};
