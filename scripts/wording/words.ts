/** A word or phrase that has a plainer alternative. `pattern` is matched in lower case, with camelCase and snake_case split into words. */
export interface FlaggedWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const flaggedWords: readonly FlaggedWord[] = [
  { pattern: /\bpictures?\b/, instead: 'image' },
  { pattern: /\bfilms?\b/, instead: 'video' },
  { pattern: /\bwish(?:es)?\b/, instead: 'request' },
  { pattern: /\b(?:who|what|where)(?:so)?ever\b/, instead: 'the member, the requester, any' },
  { pattern: /\b(?:some|no|any|every)body\b/, instead: 'a member, no one, everyone' },
  { pattern: /\btenure\b/, instead: 'store ownership, lease' },
  { pattern: /\b(?:whence|whereabouts|thereof|hence)\b/, instead: 'where from, origin' },
  { pattern: /\bchronicle\b/, instead: 'history' },
  { pattern: /\bnameless\b/, instead: 'anonymous' },
  { pattern: /\bhindered\b/, instead: 'blocked, delayed' },
  { pattern: /\bpatience\b/, instead: 'backoff, wait limit' },
  { pattern: /\b(?:sayings?|utterings?)\b/, instead: 'utterance' },
  { pattern: /\bat work since\b/, instead: 'running since' },
  { pattern: /\bto go by\b/, instead: 'reference' },
  { pattern: /\bask(?:ed|ing|s)? about\b/, instead: 'poll, query' },
  { pattern: /\blook(?:ed|ing|s)? after\b/, instead: 'maintain, keep' },
  { pattern: /\bin vain\b/, instead: 'without a result' },
  { pattern: /\bonce more\b/, instead: 'again' },
  { pattern: /\bnobody knows\b/, instead: 'unknown outcome' },
  { pattern: /\bforgetting\b/, instead: 'erasure' },
  { pattern: /\bstands? with it\b/, instead: 'status' },
  { pattern: /\bout of reach\b/, instead: 'unreachable' },
];

/** A string that may contain a flagged word, because it is a public, stored or third-party name, or means something else. */
export interface WordException {
  readonly text: string;
  readonly reason: string;
  /** The only file where it is allowed; undefined for all files. */
  readonly path?: string;
}

export const wordExceptions: readonly WordException[] = [
  { text: 'MAX_WAIT_PICTURE_SECONDS', reason: 'The former name of a setting, which keeps working.' },
  { text: 'pictures:', reason: 'A field of stored requests, and of forms that may be open.' },
  { text: 'request.pictures', reason: 'A field of stored requests.' },
  { text: "'pictures'", reason: 'A field of stored requests, and of forms that may be open.' },
  { text: "'picture'", path: 'src/commands/imagine/videos.ts', reason: 'A field of a form that may be open.' },
  { text: 'picture: links', path: 'src/commands/imagine/videos.ts', reason: 'A field of a form that may be open.' },
  { text: 'pictures?:', reason: 'A field of stored requests.' },
  { text: "orderVerb('film'", reason: 'Appears in the buttons of posted messages.' },
  { text: "immediate('forgetting')", reason: 'A namespace of the store.' },
  { text: 'Describe this picture', reason: 'The former name of a menu, which works until the next deploy.' },
  { text: 'motion|reel|film', reason: 'Words that the ids of models contain.' },
  { text: 'picture|photo|canvas', reason: 'Words that the ids of models contain.' },
  { text: 'generate picture image', reason: 'Words that prompts contain.' },
  { text: '-as-picture', reason: 'Names of faults that scripts may use.' },
  { text: 'localhostPictures', reason: 'The name of a quirk that scripts may use.' },
  { text: 'groupOfPictures', reason: 'The name of a field of the H.264 encoder.' },
  {
    text: 'img imgs picture pictures photo photos',
    path: 'src/services/gateway/read/search/words.ts',
    reason: 'Field names that gateways may use.',
  },
  {
    text: 'film films footage',
    path: 'src/services/gateway/read/search/words.ts',
    reason: 'Field names that gateways may use.',
  },
];
