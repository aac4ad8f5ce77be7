/** Words and phrases by their plainer alternatives. They are matched in lower case, with camelCase and snake_case split into words. */
export const flaggedWords: Readonly<Record<string, RegExp>> = {
  image: /\bpictures?\b/,
  video: /\bfilms?\b/,
  request: /\bwish(?:es)?\b/,
  'the member, the requester, any': /\b(?:who|what|where)(?:so)?ever\b/,
  'a member, no one, everyone': /\b(?:some|no|any|every)body\b/,
  'store ownership, lease': /\btenure\b/,
  'where from, origin': /\b(?:whence|whereabouts|thereof|hence)\b/,
  history: /\bchronicle\b/,
  anonymous: /\bnameless\b/,
  'blocked, delayed': /\bhindered\b/,
  'backoff, wait limit': /\bpatience\b/,
  utterance: /\b(?:sayings?|utterings?)\b/,
  'running since': /\bat work since\b/,
  reference: /\bto go by\b/,
  'poll, query': /\bask(?:ed|ing|s)? about\b/,
  'maintain, keep': /\blook(?:ed|ing|s)? after\b/,
  'without a result': /\bin vain\b/,
  again: /\bonce more\b/,
  'unknown outcome': /\bnobody knows\b/,
  erasure: /\bforgetting\b/,
  status: /\bstands? with it\b/,
  unreachable: /\bout of reach\b/,
};

/** Texts that may contain a flagged word, by the reason: public, stored or third-party names, or another meaning. */
const allowedTexts: Readonly<Record<string, readonly string[]>> = {
  'An entry of the menu of messages.': ['Ask about this'],
  'A field of stored requests, and of forms that may be open.': [
    'pictures:',
    'request.pictures',
    "'pictures'",
    'pictures?:',
  ],
  'Appears in the buttons of posted messages.': ["orderVerb('film'"],
  'A namespace of the store.': ["immediate('forgetting')"],
  'Words that the ids of models contain.': ['motion|reel|film', 'picture|photo|canvas'],
  'Words that prompts contain.': ['generate picture image'],
  'Names of faults and quirks that scripts may use.': ['-as-picture', 'localhostPictures'],
  'The name of a field of the H.264 encoder.': ['groupOfPictures'],
  'Names that gateways may use.': ['img imgs picture pictures photo photos', 'film films footage'],
};

export const wordExceptions = Object.values(allowedTexts).flat();
