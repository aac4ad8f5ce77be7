import { ManualClock } from '../../support/manual-clock.ts';
import { type Reply, ScriptedHttp, type ScriptedRequest } from '../../support/scripted-http.ts';
import { type Domain, type DomainOptions, openDomain } from './domain.ts';

const accepted = (id = '1711'): Reply => ({ body: { code: 1, description: 'Submit success', result: id } });
export const running = (id = '1711', progress = '40%'): Reply => ({
  body: { id, action: 'IMAGINE', status: 'IN_PROGRESS', progress },
});
export const succeeded = (id = '1711'): Reply => ({
  body: {
    id,
    action: 'IMAGINE',
    status: 'SUCCESS',
    progress: '100%',
    imageUrl: `https://cdn.gateway.test/${id}.png`,
    buttons: [{ customId: 'MJ::JOB::upsample::1::abc', emoji: '', label: 'U1', type: 2, style: 2 }],
  },
});
/** To the poll of any job. */
export const failed = (request: ScriptedRequest): Reply => ({
  body: { id: idIn(request), action: 'IMAGINE', status: 'FAILURE', progress: '', failReason: 'It did not work.' },
});
export const refused = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: `Refused: ${code}.`, type: 'api_error', param: '' } },
});
export const saturated = refused(429, 'saturated');
export const noCredit = refused(403, 'insufficient_user_quota');

export const SUBMIT = /\/submit\//;
export const POLL = /\/task\/.*\/fetch/;
export const SUBMIT_IMAGE = /^POST \/v1\/images\/generations\/jobs/;
export const POLL_IMAGE = /^GET \/v1\/images\/generations\/jobs\//;

const idIn = ({ path }: ScriptedRequest): string => /\/(?:task|jobs)\/([^/?]*)/.exec(path)?.[1] ?? '';

/** The state of an image job. */
const imageJob = (id: string, status: 'queued' | 'in_progress' | 'completed' | 'failed'): Reply => ({
  body: {
    id,
    status,
    ...(status === 'completed' && { data: [{ url: `https://cdn.gateway.test/${id}.png` }] }),
    ...(status === 'failed' && { error: { code: 'task_failed', message: 'It did not work.' } }),
  },
});
export const failedImage = (request: ScriptedRequest): Reply => imageJob(idIn(request), 'failed');

export interface Fixture extends Domain {
  gateway: ScriptedHttp;
  jobs: Jobs;
}

const JOB_MS = 20_000;

/** The jobs of a gateway that accepts every order, and whose jobs succeed after 20 seconds, unless replies are scripted. */
class Jobs {
  readonly ids: string[] = [];
  readonly #running = new Map<string, { endsAt: number }>();
  readonly #clock: ManualClock;
  peakCount = 0;

  constructor(gateway: ScriptedHttp, clock: ManualClock) {
    this.#clock = clock;
    gateway.replyAlways(SUBMIT, () => accepted(this.#accept()));
    gateway.replyAlways(POLL, (request) => (this.#hasEnded(idIn(request)) ? succeeded : running)(idIn(request)));
    gateway.replyAlways(SUBMIT_IMAGE, () => imageJob(this.#accept(), 'queued'));
    gateway.replyAlways(POLL_IMAGE, (request) =>
      imageJob(idIn(request), this.#hasEnded(idIn(request)) ? 'completed' : 'in_progress'),
    );
  }

  #accept(): string {
    const id = String(1_711 + this.ids.length);
    this.ids.push(id);
    this.#running.set(id, { endsAt: this.#clock.now() + JOB_MS });
    this.peakCount = Math.max(this.peakCount, this.#running.size);
    return id;
  }

  #hasEnded(id: string): boolean {
    if (this.#clock.now() < (this.#running.get(id)?.endsAt ?? 0)) return false;
    this.#running.delete(id);
    return true;
  }
}

/** The domain with a store in memory and a scripted gateway: no socket, no file, no process. */
export async function createFixture(options: DomainOptions = {}): Promise<Fixture> {
  const clock = new ManualClock();
  const gateway = new ScriptedHttp('https://gateway.test');
  const jobs = new Jobs(gateway, clock);
  const connections = { dispatcher: gateway, close: async () => undefined };
  const domain = await openDomain({ clock, file: ':memory:', gatewayUrl: gateway.url, connections }, options);
  return { ...domain, gateway, jobs };
}
