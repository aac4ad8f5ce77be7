/** What a metric measures, and how the dashboard and docs/metrics.md show it. */
export interface MetricSpec {
  readonly name: `atelier_${string}`;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly section: 'Tasks' | 'Discord' | 'Gateway' | 'Spending' | 'Store' | 'Files' | 'Cluster' | 'Process';
  /** One sentence without a full stop. */
  readonly help: string;
  readonly unit: 'count' | 'seconds' | 'bytes' | 'time' | 'dollars or tasks';
  /** The meaning of each label. All values come from the code or from the settings, never from a member, a prompt or an id. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly buckets?: readonly number[];
}

const KIND = 'type of task, such as `imagine`';
const STATE = 'state of a task, such as `running`';
const GROUP = '`image`, `video`, `music` or `text`';
const LANE = 'group of polls, such as `videos`';
const DISK = '`store` (its file) or `files` (temporary files)';
const LIMIT = {
  of: '`amount` (US dollars) or `tasks`',
  period: '`day`, `week`, `month`, or `at-once`',
  kind: '`all`, or the type of task that a limit is for',
};
const OPERATION = '`read`, `write` or `delete`';

const metricOf =
  <const Type extends MetricSpec['type']>(type: Type) =>
  <const Facts extends Pick<MetricSpec, 'help' | 'labels' | 'buckets'>>(
    name: MetricSpec['name'],
    section: MetricSpec['section'],
    unit: MetricSpec['unit'],
    facts: Facts,
  ) => ({ name, type, section, unit, ...facts });
const counter = metricOf('counter');
const gauge = metricOf('gauge');
const histogram = metricOf('histogram');

/** The only list of metrics: everything that is registered, drawn and documented comes from here. */
export const metricList = {
  tasks: gauge('atelier_tasks', 'Tasks', 'count', {
    help: 'Tasks that still need work',
    labels: { kind: KIND, state: STATE },
  }),
  orders: counter('atelier_orders_total', 'Tasks', 'count', {
    help: 'Paid tasks that members have requested',
    labels: { kind: KIND },
  }),
  refusals: counter('atelier_refusals_total', 'Tasks', 'count', {
    help: 'Commands, button presses and queued tasks that ended with an error message',
    labels: {
      reason:
        'the key of the message, such as `overBudget.member`; `gateway.` and the type of a gateway error; `store`; `unexpected`; `other`',
    },
  }),
  ended: counter('atelier_tasks_ended_total', 'Tasks', 'count', {
    help: 'Tasks that have ended, by their state at that time; `ready` means that there is a result',
    labels: { kind: KIND, state: STATE },
  }),
  delivery: histogram('atelier_delivery_seconds', 'Tasks', 'seconds', {
    help: 'Time from the response that reported the outcome of a task to the message that shows it',
    labels: { group: GROUP },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  }),
  wholeDelivery: histogram('atelier_gateway_to_delivery_seconds', 'Tasks', 'seconds', {
    help: "Time from the gateway's own finish time, where it sends one, to the message that shows the result",
    labels: { group: GROUP },
    buckets: [0.5, 1, 2.5, 5, 7.5, 10, 15, 30, 60, 300],
  }),
  undelivered: counter('atelier_tasks_undelivered_total', 'Tasks', 'count', {
    help: 'Tasks whose outcome could not be posted',
    labels: { reason: '`deleted` (the message was deleted) or `no-way` (the member could not be reached)' },
  }),
  answers: gauge('atelier_answers_streaming', 'Tasks', 'count', { help: 'Answers of /ask that are being streamed' }),
  talks: gauge('atelier_talks_open', 'Tasks', 'count', { help: 'Live conversations that have not ended' }),

  acknowledgement: histogram('atelier_acknowledgement_seconds', 'Discord', 'seconds', {
    help: "Time from an interaction's arrival to its first response, for which Discord waits three seconds",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
  }),
  requests: counter('atelier_discord_requests_total', 'Discord', 'count', {
    help: 'Requests to Discord',
    labels: {
      route:
        'type of endpoint: `callback`, `webhook`, `message`, `channel`, `thread`, `user`, `command`, `gateway` or `other`',
      status: 'HTTP status, or `none` without a response',
    },
  }),
  rateLimitWait: histogram('atelier_discord_rate_limit_wait_seconds', 'Discord', 'seconds', {
    help: "Waits for Discord's rate limits",
    labels: { scope: '`user`, `global` or `shared`' },
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
  ready: gauge('atelier_ready', 'Discord', 'count', {
    help: '1 if this part of /readyz is ready',
    labels: { part: '`bot`, `discord`, `store` or `gateway`' },
  }),

  polls: counter('atelier_polls_total', 'Gateway', 'count', {
    help: 'Polls of jobs',
    labels: { lane: LANE, outcome: '`answered`, `busy` (429), `refused` (401, 402, 403) or `unreachable`' },
  }),
  lanes: gauge('atelier_lane_state', 'Gateway', 'count', {
    help: '1 for the current state of a lane. In every state except `open`, its polls are paused while tasks wait',
    labels: { lane: LANE, state: '`open`, `busy`, `refused` or `unreachable`' },
  }),
  failingModels: gauge('atelier_models_failing', 'Gateway', 'count', {
    help: 'Models whose tasks fail, so that new ones are refused',
    labels: { kind: KIND },
  }),
  callbacks: counter('atelier_callbacks_total', 'Gateway', 'count', {
    help: 'Requests that arrived at the port for callbacks, and callbacks that another worker passed on',
    labels: {
      outcome:
        '`hint` (its task is polled sooner), `progress` (no poll is needed), `challenge`, `early` (before the response to the submit), `late` (after the end), `ignored` (enough came before), `limited`, `unknown` (no valid address), `passed` (to the worker that has the task) or `lost` (it could not be passed on)',
    },
  }),
  callbackHabits: gauge('atelier_callback_habit', 'Gateway', 'count', {
    help: 'Which callbacks the gateway sends: 1 for the habit that was observed for a lane',
    labels: { lane: LANE, habit: '`untried`, `none`, `progress`, `ends` or `both`' },
  }),
  answeredAt: gauge('atelier_gateway_answered_timestamp_seconds', 'Gateway', 'time', {
    help: 'When the gateway last responded and accepted the key; 0 if it has not yet',
  }),

  budgetLimit: gauge('atelier_budget_limit', 'Spending', 'dollars or tasks', {
    help: "The operator's limits for the whole bot (TOTAL_BUDGET). In a cluster, the worker that owns partition 0 reports them",
    labels: LIMIT,
  }),
  budgetUsed: gauge('atelier_budget_used', 'Spending', 'dollars or tasks', {
    help: 'How much of these limits has been used in the current period',
    labels: LIMIT,
  }),

  storeTime: histogram('atelier_store_seconds', 'Store', 'seconds', {
    help: 'Duration of store operations',
    labels: { operation: OPERATION },
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
  }),
  storeFailures: counter('atelier_store_failures_total', 'Store', 'count', {
    help: 'Failed store operations',
    labels: { operation: OPERATION },
  }),
  unsaved: gauge('atelier_tasks_unsaved', 'Store', 'count', {
    help: 'Tasks that are kept in memory because the store could not write them',
  }),

  mediaMemory: gauge('atelier_media_process_resident_bytes', 'Files', 'bytes', {
    help: 'Memory of the process that decodes files; 0 while it is not needed',
  }),
  mediaJobs: gauge('atelier_media_jobs', 'Files', 'count', {
    help: 'Jobs of the process that decodes files',
    labels: { state: '`running` or `waiting`' },
  }),
  diskFree: gauge('atelier_disk_available_bytes', 'Files', 'bytes', {
    help: 'Free space on the disk',
    labels: { disk: DISK },
  }),
  diskSize: gauge('atelier_disk_size_bytes', 'Files', 'bytes', {
    help: 'Size of the disk',
    labels: { disk: DISK },
  }),

  partitions: gauge('atelier_partitions', 'Cluster', 'count', { help: 'Partitions of the store' }),
  partitionsOwned: gauge('atelier_partitions_owned', 'Cluster', 'count', { help: 'Partitions that this worker owns' }),
  partitionsUnowned: gauge('atelier_partitions_unowned', 'Cluster', 'count', {
    help: 'Partitions that no worker owns, as this process sees it',
  }),
  ownerChanges: counter('atelier_partition_changes_total', 'Cluster', 'count', {
    help: 'Changes of the partitions that this worker owns',
    labels: { change: '`taken` or `given-back`' },
  }),
  inboxWaiting: gauge('atelier_inbox_waiting', 'Cluster', 'count', {
    help: "Packets that wait in the queues of this worker's partitions",
  }),
  shards: gauge('atelier_shards', 'Cluster', 'count', { help: 'Shards of the whole cluster' }),
  shardsHeld: gauge('atelier_shards_held', 'Cluster', 'count', { help: 'Shards that this process has' }),
  shardsConnected: gauge('atelier_shards_connected', 'Cluster', 'count', {
    help: 'Shards of this process whose events arrive',
  }),
  handOvers: counter('atelier_hand_overs_total', 'Cluster', 'count', {
    help: 'Events from Discord that this shard process passed on to workers',
    labels: { event: '`interaction` or `message`', outcome: '`passed`, or `failed` (the queue did not take it)' },
  }),
  untaken: counter('atelier_interactions_untaken_total', 'Cluster', 'count', {
    help: 'Interactions that no worker took in time',
    labels: {
      outcome:
        '`waiting` (Discord was told that the answer takes longer), or `refused` (the member was asked to try again)',
    },
  }),
  threads: gauge('atelier_threads_followed', 'Cluster', 'count', {
    help: 'Threads whose messages this shard process passes on',
  }),

  eventLoop: gauge('atelier_event_loop_delay_seconds', 'Process', 'seconds', {
    help: 'Delay of the event loop since the last scrape',
    labels: { statistic: '`p50`, `p99` or `max`' },
  }),
  heap: gauge('atelier_heap_used_bytes', 'Process', 'bytes', { help: "Used memory of JavaScript's heap" }),
  resident: gauge('atelier_resident_bytes', 'Process', 'bytes', { help: "Memory of the bot's process" }),
  cpu: counter('atelier_cpu_seconds_total', 'Process', 'seconds', { help: "Processor time of the bot's process" }),
  startedAt: gauge('atelier_start_timestamp_seconds', 'Process', 'time', { help: 'When the process started' }),
  build: gauge('atelier_build_info', 'Process', 'count', {
    help: 'Always 1',
    labels: { version: "the bot's version" },
  }),
} satisfies Readonly<Record<string, MetricSpec>>;

export type MetricKey = keyof typeof metricList;
type KeyOf<Type> = { [Key in MetricKey]: (typeof metricList)[Key] extends { type: Type } ? Key : never }[MetricKey];
export type CounterKey = KeyOf<'counter'>;
export type GaugeKey = KeyOf<'gauge'>;
export type HistogramKey = KeyOf<'histogram'>;

export type LabelsOf<Key extends MetricKey> = (typeof metricList)[Key] extends { labels: infer Labels }
  ? { readonly [Name in keyof Labels]: string }
  : Readonly<Record<never, string>>;
