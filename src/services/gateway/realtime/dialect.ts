import { isRecord } from '../../../lib/exact-json.ts';
import { asText } from '../read/values.ts';

/** ga: the words of today. beta: those that came before, which some gateways still speak. */
export type Dialect = 'ga' | 'beta';

const GA_FIELDS = ['audio', 'output_modalities'];
const BETA_FIELDS = ['modalities', 'input_audio_format', 'output_audio_format', 'input_audio_transcription'];

/** Codes of gateways that do not know the shape of what they were sent. */
const SHAPE_CODES = new Set(['unknown_parameter', 'missing_required_parameter', 'beta_api_shape_disabled']);
const SHAPE_PARAM = 'session.type';

/** Which dialect a gateway speaks: told by its sessions, else by what it takes. Found out once, by whichever session comes first. */
export class Dialects {
  #proven: Dialect | undefined;
  readonly #refused = new Set<Dialect>();

  /** For a session as the gateway describes it. */
  choose(session: unknown): Dialect {
    const said = dialectOf(session);
    if (said !== undefined && !this.#refused.has(said)) return said;
    return this.#proven ?? (this.#refused.has('ga') ? 'beta' : 'ga');
  }

  taken(dialect: Dialect): void {
    this.#proven = dialect;
    this.#refused.clear();
  }

  /** The other one, where this refusal may mean that it is spoken; undefined where it means something else. */
  otherAfter(error: Record<string, unknown>, dialect: Dialect): Dialect | undefined {
    if (this.#proven === dialect || this.#refused.size > 0 || !isAboutShape(error)) return undefined;
    this.#refused.add(dialect);
    return dialect === 'ga' ? 'beta' : 'ga';
  }
}

function dialectOf(session: unknown): Dialect | undefined {
  if (!isRecord(session)) return undefined;
  const says = (name: string): boolean => session[name] != null;
  if (session.type === 'realtime' || GA_FIELDS.some(says)) return 'ga';
  return BETA_FIELDS.some(says) ? 'beta' : undefined;
}

function isAboutShape({ code, param }: Record<string, unknown>): boolean {
  return SHAPE_CODES.has(asText(code) ?? '') || asText(param) === SHAPE_PARAM;
}
