/** What the operator is told. */
export const notices = {
  resolved: '**Resolved** <t:{{ended}}:R>.',
  times: 'This has happened {{count}} times since <t:{{since}}:f>.',
  lane: {
    busy: 'Status checks for {{lane}} are paused because the gateway is busy. This began <t:{{since}}:R>. Results arrive late until it takes more requests.',
    refused:
      'The gateway refuses status checks for {{lane}}. This began <t:{{since}}:R>. Check the API key and the account; `/about` has the reason.',
    unreachable:
      'The gateway does not respond to status checks for {{lane}}. This began <t:{{since}}:R>. Check whether it is up; `/about` has the reason.',
  },
  store: {
    full: 'The disk or memory of the database is full. This began <t:{{since}}:R>. Free some space; nothing stored so far is lost.',
    locked: 'Another program locks the database. This began <t:{{since}}:R>. Close that program.',
    unreachable:
      'The bot cannot reach its database. This began <t:{{since}}:R>. Check its server; the bot takes no new tasks until it responds.',
    failed: 'The database does not work. This began <t:{{since}}:R>. The log has the reason.',
    unsaved_one: '{{count}} task is kept in memory until it can be stored. Do not restart the bot before that.',
    unsaved_other: '{{count}} tasks are kept in memory until they can be stored. Do not restart the bot before that.',
  },
  budget: {
    most: 'More than 80 % of the limit of the whole bot ({{limit}}) is used. Left: {{left}}. It resets <t:{{resets}}:R>.',
    usedUp:
      'The limit of the whole bot ({{limit}}) is used up, so members get no new tasks until it resets <t:{{resets}}:R>. `TOTAL_BUDGET` sets it.',
  },
  balance:
    'The gateway account has {{left}} left, less than a day at the recent rate ({{perDay}} a day). This was noticed <t:{{since}}:R>. Add credit to the account.',
  model: {
    one: 'Tasks of the model {{model}} ({{kind}}) fail, so new ones are refused. This began <t:{{since}}:R>. One is let through from time to time; when it succeeds, all are.',
    unlisted:
      'Tasks of a model that the gateway does not list ({{kind}}) fail, so new ones are refused. This began <t:{{since}}:R>.',
    kind: 'Tasks of the kind {{kind}} fail, so new ones are refused. This began <t:{{since}}:R>. One is let through from time to time; when it succeeds, all are.',
  },
  channel:
    'The bot cannot post in the channel that `OPERATOR_CHANNEL_ID` names: it is gone, or permissions are missing. Notices come here until it works again.',
  started: {
    same: 'Atelier {{version}} has started.',
    changed: 'Atelier {{version}} has started. The version before was {{previous}}.',
    times: 'It has started {{count}} times since <t:{{since}}:f>.',
    tasks_one: 'It took up {{count}} task.',
    tasks_other: 'It took up {{count}} tasks.',
    unconfirmed_one: 'Of {{count}} task it is unknown whether the gateway accepted it; its member decides.',
    unconfirmed_other: 'Of {{count}} tasks it is unknown whether the gateway accepted them; their members decide.',
    away: 'It was away since <t:{{awaySince}}:f>.',
    crashed: 'It was away since about <t:{{awaySince}}:f>. It did not stop on request: the end of its log says why.',
  },
  schema:
    'This version keeps its data in a new format (store {{store}}, tasks {{tasks}}). Older versions refuse this database from now on; to go back, restore a backup.',
  unreadable_one:
    '{{count}} row of the database could not be read. It was set aside unchanged; stop the bot and run `npm run doctor` for details.',
  unreadable_other:
    '{{count}} rows of the database could not be read. They were set aside unchanged; stop the bot and run `npm run doctor` for details.',
  noCredit:
    'The gateway refused a task of the kind {{kind}} because the account has no credit left. New tasks of this kind are refused for 2 minutes at a time, until the gateway takes one. Add credit to the account.',
} as const;

/** What members use the kinds of polls for. */
export const lanes = {
  imgx: '`/imagine` and its follow-ups',
  'image jobs': '`/image`',
  videos: '`/video`',
  'second videos': '`/video` (endpoint v1)',
  'image to video': '`/video` (image to video)',
  music: '`/music`',
} as const;
