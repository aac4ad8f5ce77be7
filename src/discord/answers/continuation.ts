import { pause } from '../../lib/pause.ts';
import { Refusal } from '../../lib/refusal.ts';
import { answerOf, partPosted, partsCut, partsShown } from '../../services/asks/transitions.ts';
import { hasEnded, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { shownIn } from '../../services/tasks/transitions.ts';
import type { MessagePlan } from '../../views/plan.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { Appearance } from '../delivery/appearance.ts';
import type { Carrier } from '../delivery/carrier.ts';
import { factsOf, troubleOf } from '../delivery/errors.ts';
import { Hindered } from '../delivery/hindered.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import { Patience } from '../delivery/patience.ts';
import { editWay, type TokenWay, tokenWay, type Way } from '../delivery/ways.ts';

/** About one edit a second. */
const GAP_MS = 1_100;
/** The bot's own token shares the channel's few requests with everything else there. */
const GAP_AS_BOT_MS = 4_000;

export interface ContinuationParts extends Pick<DeliveryParts, 'clock' | 'log' | 'change'> {
  /** What the message of the task shows, and each of those in which its answer goes on. */
  plansOf(task: Task): { first: MessagePlan; further: MessagePlan[] };
}

interface Scene {
  parts: ContinuationParts;
  carrier: Carrier;
  stopping: AbortSignal;
  /** Everything that goes on below the first message stands there, or cannot. */
  onEnd(task: Task): void;
}

type Outcome = 'done' | 'gone' | 'no-way';

/** The further messages of one answer: only the latest counts, and at the end each of them is exact. */
export class Continuation {
  readonly #id: string;
  readonly #scene: Scene;
  readonly #patience: Patience;
  readonly #shut = new Set<Way['by'] | 'private'>();
  readonly #appearances = new Map<string, Appearance>();
  readonly #deleted = new Set<string>();
  #news: Task | undefined;
  #isOver = false;
  #isAtWork = false;
  #work: Promise<void> = Promise.resolve();

  constructor(id: string, scene: Scene) {
    this.#id = id;
    this.#scene = scene;
    this.#patience = new Patience(id, scene.parts, scene.stopping);
  }

  show(task: Task): void {
    if (this.#isOver || this.#scene.stopping.aborted) return;
    this.#news = task;
    if (!this.#isAtWork) this.#work = this.#showAll();
  }

  async finish(): Promise<void> {
    await this.#work;
  }

  async #showAll(): Promise<void> {
    const { parts, stopping, onEnd } = this.#scene;
    this.#isAtWork = true;
    for (let task = this.#next(); task; task = this.#next()) {
      const isEnd = hasEnded(task);
      const shown = await this.#brought(task, isEnd);
      if (isEnd && !stopping.aborted) {
        this.#isOver = true;
        onEnd(shown);
      } else if (shown !== task) await pause(parts.clock, this.#gapOf(task), stopping);
    }
    this.#isAtWork = false;
  }

  #next(): Task | undefined {
    const task = this.#news;
    this.#news = undefined;
    return this.#isOver || this.#scene.stopping.aborted ? undefined : task;
  }

  #gapOf(task: Task): number {
    return this.#tokenWay(task) ? GAP_MS : GAP_AS_BOT_MS;
  }

  /** Whatever goes wrong, the first message still comes to its end, with the whole as a file. */
  async #brought(task: Task, isEnd: boolean): Promise<Task> {
    try {
      return await this.#bring(task, isEnd);
    } catch (error) {
      // A task that is gone has no message that could be brought.
      if (error instanceof Refusal) this.#isOver = true;
      else this.#scene.parts.log.error({ task: this.#id, err: error }, 'The rest of an answer could not be shown.');
      return task;
    }
  }

  /** Answers with the task as it is then; with the very same one where there was nothing to do. */
  async #bring(task: Task, isEnd: boolean): Promise<Task> {
    const { first, further } = this.#scene.parts.plansOf(task);
    const needless = answerOf(task).parts.length > further.length;
    if (further.length === 0 && !needless) return task;
    let known = task;
    let isWhole = true;
    for (const [index, plan] of further.entries()) {
      const place = answerOf(known).parts[index];
      // Words that have to wait may grow meanwhile; a later part never comes before an earlier one.
      const done = place
        ? await this.#patiently(isEnd, () => this.#edit(known, place, bodyOf(plan)))
        : await this.#patiently(isEnd, () => this.#post(known, index, first, bodyOf(plan)));
      if (typeof done === 'object') known = done;
      else if (done !== 'done' && done !== 'gone') {
        isWhole = false;
        break;
      }
    }
    if (!isEnd) return known === task ? { ...task } : known;
    if (needless) known = await this.#cut(known, further.length);
    return isWhole ? this.#change(partsShown) : known;
  }

  /** The end is brought until it is there; what only passes by is not tried again. */
  async #patiently<T>(isEnd: boolean, work: () => Promise<T>): Promise<T | Outcome> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Hindered)) throw error;
        if (!isEnd || this.#scene.stopping.aborted) return 'no-way';
        await this.#patience.with(error);
      }
    }
  }

  async #edit(task: Task, place: MessagePlace, wanted: MessageBody): Promise<Outcome> {
    if (this.#deleted.has(place.id)) return 'gone';
    const appearance = this.#appearances.get(place.id) ?? new Appearance();
    this.#appearances.set(place.id, appearance);
    const change = appearance.changeTo(wanted);
    if (!change) return 'done';
    for (const way of this.#waysTo(task, place)) {
      const outcome = await this.#tried(way.by, async () => {
        await this.#scene.carrier.edit(way, change.sent);
        change.confirmed();
      });
      if (outcome === 'gone') this.#deleted.add(place.id);
      if (outcome !== 'no-way') return outcome;
    }
    return 'no-way';
  }

  async #post(task: Task, index: number, first: MessagePlan, wanted: MessageBody): Promise<Task | Outcome> {
    const { carrier } = this.#scene;
    const token = this.#tokenWay(task);
    let place: MessagePlace | undefined;
    // While the answer is still a spinner, Discord takes the next message for it.
    const known = token && !task.message ? await this.#firstShown(token, first) : task;
    if (!known) return 'no-way';
    const { isPrivate, mayPost } = known.route;
    let outcome: Outcome = 'no-way';
    if (token) {
      outcome = await this.#tried('token', async () => {
        place = await carrier.add(token, wanted, isPrivate);
      });
    }
    const channelId = known.message?.channelId ?? known.channelId;
    if (outcome === 'no-way' && !isPrivate && mayPost && channelId !== undefined && !this.#shut.has('channel')) {
      outcome = await this.#tried('channel', async () => {
        place = await carrier.post(channelId, `${this.#id}-${index + 1}`, wanted);
      });
    }
    const posted = place;
    if (outcome !== 'done' || !posted) return 'no-way';
    const appearance = new Appearance();
    appearance.changeTo(wanted)?.confirmed();
    this.#appearances.set(posted.id, appearance);
    return this.#change((before) => partPosted(before, posted));
  }

  async #firstShown(token: TokenWay, first: MessagePlan): Promise<Task | undefined> {
    let place: MessagePlace | undefined;
    const outcome = await this.#tried('token', async () => {
      place = await this.#scene.carrier.edit(token, bodyOf(first));
    });
    const there = place;
    return outcome === 'done' && there ? this.#change((task) => shownIn(task, there)) : undefined;
  }

  /** Text that became a file leaves messages behind that nobody needs. */
  async #cut(task: Task, most: number): Promise<Task> {
    for (const place of answerOf(task).parts.slice(most)) {
      const [way] = this.#waysTo(task, place);
      if (way) await this.#patiently(true, () => this.#tried(way.by, () => this.#scene.carrier.remove(way)));
    }
    return this.#change((before) => partsCut(before, most));
  }

  async #tried(by: Way['by'], work: () => Promise<unknown>): Promise<Outcome> {
    try {
      await work();
      return 'done';
    } catch (error) {
      const trouble = troubleOf(error, by);
      this.#scene.parts.log.info(
        { task: this.#id, by, trouble, ...factsOf(error) },
        'A part of an answer was not shown.',
      );
      if (trouble === 'later') throw new Hindered('unreachable', error);
      if (trouble === 'deleted') return 'gone';
      // Not even once more: every refusal counts towards being shut out by Discord.
      this.#shut.add(by);
      return 'no-way';
    }
  }

  #waysTo(task: Task, place: MessagePlace) {
    const token = this.#tokenWay(task);
    const edit = this.#shut.has('edit') ? undefined : editWay({ ...task, message: place });
    return [token && { ...token, followUpId: place.id }, edit].filter((way) => way !== undefined);
  }

  #tokenWay(task: Task): TokenWay | undefined {
    return this.#shut.has('token') ? undefined : tokenWay(task, this.#scene.parts.clock.now());
  }

  async #change(transition: (task: Task) => Task): Promise<Task> {
    try {
      return await this.#scene.parts.change(this.#id, transition);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Hindered('unstored', error);
    }
  }
}
