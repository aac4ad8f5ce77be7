import type { Clock } from '../../../lib/clock.ts';
import { wavOf } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { TextContent } from '../../gateway/text-request.ts';
import { signatureExpiry } from '../../media/signed-urls.ts';
import type { Discord } from '../../orders/discord.ts';
import type { LeftOutFile } from '../../tasks/answer.ts';
import type { Gather, GatherContext, MemberFile } from '../../tasks/materials.ts';
import type { Turn } from '../conversation.ts';
import { audioPart, transcriptPart } from './sound.ts';

/** A file from an earlier question: the part that is sent again, or the reason why it is not. */
export type EarlierFile = { name: string } & ({ part: TextContent } | { why: LeftOutFile['why'] });

interface EarlierFilesContext extends GatherContext {
  /** How much of the limits the question's own files already use. */
  used: { files: number; bytes: number };
  supportsAudio: boolean;
}

/** Models only look closely at a few files, and every further question sends them again. */
const MAX_FILES = 20;
const MAX_BYTES = 20 * 1024 * 1024;
/** The time limit for all files together, because the member is waiting. */
const TIME_LIMIT_MS = 60_000;
/** Discord refreshes at most this many URLs per request. */
const MAX_REFRESHED_URLS = 50;

/** Fetches the files of earlier turns again, newest turn first. An unavailable file is left out, and never makes the question fail. */
export async function gatherEarlierFiles(
  turns: readonly Turn[],
  { used, supportsAudio, ...context }: EarlierFilesContext,
  { gather, discord, clock }: { gather: Gather; discord: Discord; clock: Clock },
): Promise<EarlierFile[][]> {
  const namedFiles = turns.map(filesOf);
  const urls = await freshUrls(namedFiles.toReversed().flat(), discord, clock.now());
  const timeout = Promise.withResolvers<'late'>();
  let isLate = false;
  const cancel = clock.after(TIME_LIMIT_MS, () => {
    isLate = true;
    timeout.resolve('late');
  });
  let { files, bytes } = used;

  async function fetchFile(namedFile: NamedFile): Promise<EarlierFile> {
    const { file, medium, transcript } = namedFile;
    const name = fileNameForModel(file.name);
    if (transcript !== undefined) return { name, part: transcriptPart(name, transcript) };
    if (medium === 'sound' && !supportsAudio) return { name, why: 'refused' };
    if (files >= MAX_FILES) return { name, why: 'too-many' };
    if (isLate) return { name, why: 'late' };
    const address = urls.get(file.address) ?? file.address;
    const fetched = fetchPart({ ...file, address, name }, medium, context, gather);
    const part = await Promise.race([fetched, timeout.promise]);
    if (typeof part === 'string') return { name, why: part };
    const size = sizeOf(part);
    if (bytes + size > MAX_BYTES) return { name, why: 'too-large' };
    files += 1;
    bytes += size;
    return { name, part };
  }

  try {
    // Files are fetched one at a time, so a question holds at most one file in the memory that all requests share.
    const newestFirst = await Array.fromAsync(namedFiles.toReversed(), (turnFiles) =>
      Array.fromAsync(turnFiles, fetchFile),
    );
    return newestFirst.toReversed().map((turnFiles, index) => [...turnFiles, ...hiddenFiles(turns[index])]);
  } finally {
    cancel();
  }
}

/** Leaves out all earlier files for the same reason; a transcript is not a file, so it stays. */
export const leaveOut = (turns: readonly Turn[], why: LeftOutFile['why']): EarlierFile[][] =>
  turns.map((turn) => [
    ...filesOf(turn).map(({ file, transcript }): EarlierFile => {
      const name = fileNameForModel(file.name);
      return transcript === undefined ? { name, why } : { name, part: transcriptPart(name, transcript) };
    }),
    ...hiddenFiles(turn),
  ]);

/** Files that are only counted and not named, because the member who asked is not allowed to see them. */
const hiddenFiles = (turn: Turn | undefined): EarlierFile[] =>
  Array.from({ length: turn?.hiddenFileCount ?? 0 }, () => ({ name: '', why: 'hidden' as const }));

export const leaveOutAudio = (turns: readonly (readonly EarlierFile[])[]): EarlierFile[][] =>
  turns.map((files) =>
    files.map((file) =>
      'part' in file && file.part.type === 'audio' ? { name: file.name, why: 'refused' as const } : file,
    ),
  );

export const sentParts = (files: readonly EarlierFile[]): TextContent[] =>
  files.flatMap((file) => ('part' in file ? [file.part] : []));

export const leftOutFiles = (files: readonly EarlierFile[]): LeftOutFile[] =>
  files.flatMap((file) => ('why' in file ? [{ name: file.name, why: file.why }] : []));

const MAX_NAMED_FILES = 5;

/** A note that tells the model which files it no longer sees. Empty if it sees all of them. */
export function noteForModel(files: readonly EarlierFile[]): string {
  const leftOut = leftOutFiles(files);
  if (leftOut.length === 0) return '';
  const names = leftOut.flatMap(({ name }) => name || []);
  const nameList = names.slice(0, MAX_NAMED_FILES).join(', ');
  const list =
    nameList === ''
      ? ''
      : `: ${nameList}${leftOut.length > Math.min(names.length, MAX_NAMED_FILES) ? ' and others' : ''}`;
  const count = leftOut.length === 1 ? '1 file of this message is' : `${leftOut.length} files of this message are`;
  return `[${count} no longer attached${list}]`;
}

interface NamedFile {
  file: MemberFile;
  medium: 'image' | 'document' | 'sound';
  transcript?: string | undefined;
}

const filesOf = ({ images, documents, sound, transcript }: Turn): NamedFile[] => [
  ...documents.map((file) => ({ file, medium: 'document' as const })),
  ...images.map((file) => ({ file, medium: 'image' as const })),
  ...(sound ? [{ file: sound, medium: 'sound' as const, transcript }] : []),
];

/** Refreshes only URLs that would expire before they are fetched. */
async function freshUrls(newestFirst: readonly NamedFile[], discord: Discord, now: number) {
  const expiring = newestFirst.flatMap(({ file: { address } }) => {
    const expiry = signatureExpiry(address);
    return expiry !== undefined && expiry <= now + TIME_LIMIT_MS ? [address] : [];
  });
  const urls = [...new Set(expiring)].slice(0, MAX_REFRESHED_URLS);
  return urls.length === 0 ? new Map<string, string>() : await discord.refreshUrls(urls);
}

async function fetchPart(
  file: MemberFile,
  medium: NamedFile['medium'],
  context: GatherContext,
  gather: Gather,
): Promise<TextContent | LeftOutFile['why']> {
  try {
    const files = { image: { pictures: [file] }, document: { documents: [file] }, sound: { sound: file } }[medium];
    const { images: [image] = [], documents: [document] = [], sound } = await gather(files, context);
    if (sound) return audioPart(wavOf(sound));
    if (image !== undefined) return { type: 'image', image };
    return document ? documentPart(document) : 'unusable';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return REASON_BY_REFUSAL.get(error.key) ?? 'unusable';
  }
}

const REASON_BY_REFUSAL: ReadonlyMap<string, LeftOutFile['why']> = new Map([
  ['refusals.imageTooLarge', 'too-large'],
  ['refusals.imagesTooLarge', 'too-large'],
  ['refusals.documentTooLarge', 'too-large'],
  ['refusals.fileTooLarge', 'too-large'],
  ['refusals.imageGone', 'gone'],
  ['refusals.documentGone', 'gone'],
]);

export function documentPart({ name, data, text }: { name: string; data?: string; text?: string }): TextContent {
  if (data !== undefined) return { type: 'file', name, data };
  return { type: 'text', text: `${name}:\n\n${text ?? ''}` };
}

/** The prefix of a data URI is shorter than this. */
const MAX_HEAD_LENGTH = 200;

/** The size as sent: base64 is a third longer than the bytes. */
export function sizeOf(part: TextContent): number {
  if (part.type === 'text') return Buffer.byteLength(part.text);
  const data = part.type === 'image' ? part.image : 'data' in part ? part.data : '';
  return Math.floor(((data.length - data.slice(0, MAX_HEAD_LENGTH).indexOf(',') - 1) * 3) / 4);
}

const MAX_NAME_LENGTH = 100;

/** A file name is untrusted text: it must stay on one line and not contain brackets that would end the note. */
export const fileNameForModel = (name: string): string =>
  name
    .slice(0, 1_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed() || 'file';
