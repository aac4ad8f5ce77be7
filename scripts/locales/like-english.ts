/** Names, units and what members type: the same in every language. */
export const commonWords =
  'Atelier Bot CSV Discord HTTP ID Imagine JSON Niji Prompt Remix Spoiler URL UTC h min niji off s x';

/** Words that a language shares with English. A string that consists of them may be equal to the English one. */
export const wordsLikeEnglish: Readonly<Record<string, string>> = {
  de: 'Animation Budget Cover Details Embeddings Gateway In Instrumental Links Live Moderation Name Original Persona Presets Seed Song Text Variation Version Video in',
  'es-ES': 'Embeddings Formal Instrumental No Original Roles Total Workers anime embedding endpoint',
  fr: 'Animation Budget Cents Direct Dollars Embeddings Image Images Instructions Instrumental Long Options Original Permissions Persona Portrait Standard Style Variation Version Vertical anime cents dollars embedding images source',
  'pt-BR':
    'Embeddings Formal Gateway Instrumental Links Loop Original Persona Seed Template Total Upscale Vertical anime embedding endpoint',
};
