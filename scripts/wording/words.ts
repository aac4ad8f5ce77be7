/** A word or phrase that has a plainer alternative. `pattern` is matched in lower case, with camelCase and snake_case split into words. */
export interface FlaggedWord {
  readonly pattern: RegExp;
  readonly replacement: string;
}

export const flaggedWords: readonly FlaggedWord[] = [
  { pattern: /\bpictures?\b/, replacement: 'image' },
  { pattern: /\bfilms?\b/, replacement: 'video' },
  { pattern: /\bwish(?:es)?\b/, replacement: 'request' },
  { pattern: /\b(?:who|what|where)(?:so)?ever\b/, replacement: 'the member, the requester, any' },
  { pattern: /\b(?:some|no|any|every)body\b/, replacement: 'a member, no one, everyone' },
  { pattern: /\btenure\b/, replacement: 'store ownership, lease' },
  { pattern: /\b(?:whence|whereabouts|thereof|hence)\b/, replacement: 'where from, origin' },
  { pattern: /\bchronicle\b/, replacement: 'history' },
  { pattern: /\bnameless\b/, replacement: 'anonymous' },
  { pattern: /\bhindered\b/, replacement: 'blocked, delayed' },
  { pattern: /\bpatience\b/, replacement: 'backoff, wait limit' },
  { pattern: /\b(?:sayings?|utterings?)\b/, replacement: 'utterance' },
  { pattern: /\bat work since\b/, replacement: 'running since' },
  { pattern: /\bto go by\b/, replacement: 'reference' },
  { pattern: /\bask(?:ed|ing|s)? about\b/, replacement: 'poll, query' },
  { pattern: /\blook(?:ed|ing|s)? after\b/, replacement: 'maintain, keep' },
  { pattern: /\bin vain\b/, replacement: 'without a result' },
  { pattern: /\bonce more\b/, replacement: 'again' },
  { pattern: /\bnobody knows\b/, replacement: 'unknown outcome' },
  { pattern: /\bforgetting\b/, replacement: 'erasure' },
  { pattern: /\bstands? with it\b/, replacement: 'status' },
  { pattern: /\bout of reach\b/, replacement: 'unreachable' },
];

/** A string that may contain a flagged word, because it is a public, stored or third-party name, or means something else. */
export interface WordException {
  readonly text: string;
  readonly reason: string;
  /** The only file where it is allowed; undefined for all files. */
  readonly path?: string;
}

const FIELD_NAMES = 'src/services/gateway/read/search/names.ts';

export const wordExceptions: readonly WordException[] = [
  { text: 'Ask about this', reason: 'An entry of the menu of messages.' },
  { text: 'pictures:', reason: 'A field of stored requests.' },
  { text: 'request.pictures', reason: 'A field of stored requests.' },
  { text: "'pictures'", reason: 'A field of stored requests, and of forms that may be open.' },
  { text: 'pictures?:', reason: 'A field of stored requests.' },
  { text: "orderVerb('film'", reason: 'Appears in the buttons of posted messages.' },
  { text: "immediate('forgetting')", reason: 'A namespace of the store.' },
  { text: 'motion|reel|film', reason: 'Words that the ids of models contain.' },
  { text: 'picture|photo|canvas', reason: 'Words that the ids of models contain.' },
  { text: 'generate picture image', reason: 'Words that prompts contain.' },
  { text: '-as-picture', reason: 'Names of faults that scripts may use.' },
  { text: 'localhostPictures', reason: 'The name of a quirk that scripts may use.' },
  { text: 'groupOfPictures', reason: 'The name of a field of the H.264 encoder.' },
  { text: 'img imgs picture pictures photo photos', path: FIELD_NAMES, reason: 'Names that gateways may use.' },
  { text: 'film films footage', path: FIELD_NAMES, reason: 'Names that gateways may use.' },
];
