import { wavOf } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { GatewayError, type GatewayErrorKind } from '../../gateway/errors.ts';
import { findTranscriber } from '../../gateway/model-ids.ts';
import type { TextContent } from '../../gateway/text-request.ts';
import type { Materials } from '../../tasks/materials.ts';
import type { ConversationContext } from '../conversation-context.ts';

/** The audio of a question: as a file, or as its transcript once one exists. */
export interface QuestionAudio {
  name: string;
  wav?: Buffer;
  transcript?: string;
}

/** The audio is decoded and re-encoded, so it has a format that every audio model accepts, and no metadata. */
export function questionAudio(
  file: { name: string } | undefined,
  { sound }: Materials,
  transcript: string | undefined,
): QuestionAudio | undefined {
  if (!file) return undefined;
  const { name } = file;
  if (transcript !== undefined) return { name, transcript };
  return sound && { name, wav: wavOf(sound) };
}

export const audioPart = (wav: Buffer): TextContent => ({ type: 'audio', data: wav.toString('base64'), format: 'wav' });

export const transcriptPart = (name: string, transcript: string): TextContent => ({
  type: 'text',
  text: `[Transcript of ${name}]: ${transcript}`,
});

/** Five minutes of fast speech have about 6,000 characters. */
const MAX_TRANSCRIPT_LENGTH = 20_000;
const UNSUPPORTED_ERRORS: ReadonlySet<GatewayErrorKind> = new Set(['not-offered', 'not-found']);

/** Transcribes audio, which is billed. Throws a refusal if the gateway has no model for it. */
export async function transcribe(
  wav: Buffer,
  { name, model: requestedModel, signal }: { name: string; model: string; signal: AbortSignal },
  { gateway, models }: ConversationContext,
): Promise<string> {
  const refusal = new Refusal('refusals.modelWithoutAudio', { name, model: requestedModel });
  const model = findTranscriber(await models.list());
  if (model === undefined) throw refusal;
  try {
    return (await gateway.transcriptions.create({ model, wav }, { signal }))
      .slice(0, MAX_TRANSCRIPT_LENGTH)
      .toWellFormed();
  } catch (error) {
    if (!(error instanceof GatewayError) || !UNSUPPORTED_ERRORS.has(error.kind)) throw error;
    throw refusal;
  }
}
