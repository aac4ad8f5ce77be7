/** Names are truncated, because longer ones are no more informative and take time to split. */
const MAX_NAME_LENGTH = 80;

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words for the work that a gateway does for a request. */
export const JOB_WORDS = wordSet(
  `task tasks job jobs generation generations gen imagine imagination render rendering run prediction operation op work workflow ticket
  submission order creation execution inference commission`,
);

/** Words that, at the end of a name, certainly mean an id. */
const ID_WORDS = wordSet('id uuid guid identifier');

/** Words that, at the end of a name, mean an id if the rest of the name says what it identifies. */
const WEAK_ID_WORDS = wordSet('ref reference handle number no key code token');

/** Names of wrappers, which say nothing about their content. */
export const WRAPPER_WORDS = wordSet(
  'data result results response payload body content output answer reply item items record info detail details value',
);

/** Things with their own ids, states and URLs, which are never those of the job. */
const OTHER_THINGS = `request requests req trace tracing span correlation transaction user account acct owner author creator member customer
  client tenant org organization organisation team workspace project app application session conversation thread webhook hook callback notify
  notification model engine version style preset template voice lora parent previous prev prior origin original source
  root related input inputs cover share invoice payment billing plan subscription quota credit credits balance upstream
  vendor external device connection ray idempotency dedupe nonce mask avatar log logs button prompt param params
  parameters arguments args query page pages thumbnail thumb poster preview error errors usage moderation
  safety license policy worker node shard host instance region zone cluster deployment guild bot`;

export const UNRELATED_WORDS = wordSet(OTHER_THINGS);

/** The ids of these are not the job's either, but the job's record may be inside them. */
export const UNRELATED_ID_WORDS = wordSet(
  `${OTHER_THINGS} image images video videos audio audios song songs track tracks clip clips file files asset assets
  media frame message msg event api platform service provider server gateway channel group queue batch object category
  tag album playlist collection action custom component key reference ref seed index row page step third`,
);

/** Words for results, whose items have their own ids and states. */
export const RESULT_WORDS = wordSet(
  `result results output outputs outcome artifact artifacts artefact artefacts product products asset assets file files
  media final finished delivered delivery deliverable deliverables creation creations generated generation generations rendered download downloads
  content contents`,
);

export const KIND_WORDS = {
  image: wordSet('image images img imgs picture pictures photo photos png jpg jpeg webp'),
  video: wordSet('video videos movie movies mp film films footage clip clips reel animation'),
  audio: wordSet('audio audios song songs music sound sounds track tracks mp wav clip clips'),
} as const;

/** Names of URLs that point to something other than the result. */
export const UNRELATED_MEDIA_WORDS = wordSet(
  `${OTHER_THINGS} covers thumbs thumbnails posters previews icon icons logo logos watermark first last start end tail
  init initial array seed reference references ref refs sources src example examples sample samples
  placeholder doc docs documentation help support console dashboard web website site view viewer player embed html
  profile upgrade status poll polling cancel self next get check refresh retry stream streaming hls webhooks hooks
  notify banner background attachment attachments upload uploads uploaded frame frames keyframe keyframes guide
  permalink gallery feed terms manage masks avatars originals parents storyboard waveform lyrics subtitle subtitles`,
);

/** Status words of wrappers that only mean that the request succeeded. */
export const ACKNOWLEDGED = wordSet('success ok okay accepted');

const STATE_WORDS = wordSet('status state stage phase lifecycle condition situation standing');

export const PROGRESS_WORDS = wordSet('progress percent percentage pct completion fraction ratio');

/** Endings to look for in names that are written without separators. */
const ENDINGS = [...ID_WORDS, ...STATE_WORDS, ...PROGRESS_WORDS, ...wordSet('ids url urls uri link ref handle text')];
const UNSPLIT_WORDS = wordSet(
  'valid invalid paid unpaid grid bid void solid rapid hybrid android fluid avid liquid context',
);

const KNOWN_WORDS: ReadonlySet<string> = new Set([
  ...[...JOB_WORDS, ...WRAPPER_WORDS, ...UNRELATED_ID_WORDS, ...RESULT_WORDS, ...UNRELATED_MEDIA_WORDS],
  ...Object.values(KIND_WORDS).flatMap((words) => [...words]),
  ...[...ENDINGS, ...UNSPLIT_WORDS, 'complete', 'completed', 'rate', 'pct'],
]);
const MIN_PART_LENGTH = 3;

/** Splits a field name in any casing into its words, without digits: `taskID`, `TASK_ID`, `task-id` and `taskid` all become `task id`. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .flatMap(splitWord);
}

/** Splits a word that has a known ending, such as `taskid`, or consists of known words, such as `inputparams`. */
function splitWord(word: string): string[] {
  if (KNOWN_WORDS.has(word)) return [word];
  for (let length = word.length - MIN_PART_LENGTH; length >= MIN_PART_LENGTH; length--) {
    if (KNOWN_WORDS.has(word.slice(0, length)) && KNOWN_WORDS.has(word.slice(length)))
      return [word.slice(0, length), word.slice(length)];
  }
  const end = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= MIN_PART_LENGTH);
  return end === undefined ? [word] : [...splitWord(word.slice(0, -end.length)), end];
}

export const hasAny = (words: readonly string[], candidates: ReadonlySet<string>): boolean =>
  words.some((word) => candidates.has(word));

/** The place of a value in a response. */
export interface NamedPlace {
  /** The words of the field's name; for an item of a list, those of the list. */
  words: readonly string[];
  /** The words of the name of each enclosing field, outermost first. */
  ancestors: readonly (readonly string[])[];
}

const STATE_SUFFIXES = new Set(['text', 'name', 'label', 'word']);
const PART_WORDS: ReadonlySet<string> = new Set(Object.values(KIND_WORDS).flatMap((words) => [...words]));

/** Whether a field belongs to something other than the job, such as its user, its model, the request or the echoed input. */
export const isUnrelated = ({ ancestors }: NamedPlace): boolean =>
  ancestors.some((words) => hasAny(words, UNRELATED_WORDS));

export function isStateName(words: readonly string[]): boolean {
  const name = STATE_SUFFIXES.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  return STATE_WORDS.has(name.at(-1) ?? '') && !hasAny(words, UNRELATED_WORDS);
}

type IdName = 'job id' | 'job code' | 'job' | 'id' | 'id of a part' | 'other id';

/** What the name of a field says about an id in it. Undefined if the field contains the id of something else, or no id at all. */
export function idNameOf({ words, ancestors }: NamedPlace): IdName | undefined {
  const last = words.at(-1) ?? '';
  const stem = words.slice(0, -1);
  if (hasAny(stem, UNRELATED_ID_WORDS)) return undefined;
  const isJob = hasAny(stem, JOB_WORDS);
  if (ID_WORDS.has(last) && isJob) return 'job id';
  if (WEAK_ID_WORDS.has(last)) return isJob ? 'job code' : undefined;
  if (JOB_WORDS.has(last)) return 'job';
  if (!ID_WORDS.has(last)) return undefined;
  if (stem.length > 0) return 'other id';
  const parent = ancestors.at(-1) ?? [];
  if (hasAny(parent, JOB_WORDS)) return 'job id';
  return hasAny(parent, RESULT_WORDS) || hasAny(parent, PART_WORDS) ? 'id of a part' : 'id';
}

/** Whether a record has a state of its own. The state of a request does not count. */
export const hasStateField = (holder: Readonly<Record<string, unknown>>): boolean =>
  hasField(
    holder,
    (words, value) => typeof value === 'string' && isStateName(words) && !ACKNOWLEDGED.has(value.toLowerCase()),
  );

/** Whether a record has a field whose name says that it contains a job's id. */
export const hasIdField = (holder: Readonly<Record<string, unknown>>): boolean =>
  hasField(holder, (words, value) => {
    const name = idNameOf({ words, ancestors: [] });
    return (
      (name === 'job id' || name === 'id' || name === 'job code') &&
      (typeof value === 'string' || typeof value === 'number')
    );
  });

/** A record with more fields than this is a map. */
const MAX_FIELDS = 100;

function hasField(
  holder: Readonly<Record<string, unknown>>,
  matches: (words: readonly string[], value: unknown) => boolean,
): boolean {
  let remaining = MAX_FIELDS;
  for (const name in holder) {
    if (remaining-- <= 0) return false;
    if (matches(wordsOf(name), holder[name])) return true;
  }
  return false;
}
