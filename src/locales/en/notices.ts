/** Notices to the operator. */
export const notices = {
  resolved: '**Resolved** <t:{{ended}}:R>.',
  times: 'This has happened {{count}} times recently.',
  gateway: {
    keyRejected:
      'The gateway has been rejecting the API key since <t:{{since}}:f>, so all requests of members fail. Set the right `GATEWAY_API_KEY` and restart the bot.',
    unusable:
      'The gateway has not responded since the bot started <t:{{since}}:f>, so requests of members fail until it does. Check `GATEWAY_BASE_URL` and whether the gateway is up; `/about` has the reason.',
  },
  lane: {
    busy: 'Status checks for {{lane}} have been paused since <t:{{since}}:f> because the gateway is busy. Results will arrive late until it accepts more requests.',
    refused:
      'The gateway has been refusing status checks for {{lane}} since <t:{{since}}:f>. Check the API key and the account; `/about` has the reason.',
    unreachable:
      'The gateway has not responded to status checks for {{lane}} since <t:{{since}}:f>. Check whether it is up; `/about` has the reason.',
  },
  store: {
    full: 'The database has been out of disk space or memory since <t:{{since}}:f>. Free some space; nothing stored so far is lost.',
    locked: 'The database has been locked by another program since <t:{{since}}:f>. Close that program.',
    unreachable:
      'The bot has been unable to reach its database since <t:{{since}}:f>. Check the database server. The bot accepts no new tasks until the database responds.',
    failed: 'The database has been failing since <t:{{since}}:f>. The log has the reason.',
    unsaved_one: '{{count}} task is kept in memory until it can be stored. Do not restart the bot before then.',
    unsaved_other: '{{count}} tasks are kept in memory until they can be stored. Do not restart the bot before then.',
  },
  budget: {
    nearlyUsedUp:
      'At least 80% of the bot-wide limit ({{limit}}) has been used. Remaining: {{left}}. The limit resets <t:{{resets}}:R>.',
    reached:
      'Requests that would exceed the bot-wide limit ({{limit}}) are now refused. Remaining: {{left}}. The limit resets <t:{{resets}}:R>; to change it, set `TOTAL_BUDGET`.',
  },
  balance:
    'The gateway account has {{left}} left, enough for less than a day at the recent rate ({{perDay}} a day), as of <t:{{since}}:f>. Add credit to the account.',
  model: {
    one: 'Tasks with the model {{model}} ({{kind}}) have been failing since <t:{{since}}:f>, so new ones are refused. The bot lets one through from time to time and accepts new tasks again once one succeeds.',
    unlisted:
      'Tasks with a model that the gateway does not list ({{kind}}) have been failing since <t:{{since}}:f>, so new ones are refused.',
    kind: 'Tasks of type {{kind}} have been failing since <t:{{since}}:f>, so new ones are refused. The bot lets one through from time to time and accepts new tasks again once one succeeds.',
  },
  channel:
    'The bot cannot post in the channel set in `OPERATOR_CHANNEL_ID`: it was deleted, or permissions are missing. Notices are sent here until it works again.',
  started: {
    same: 'Atelier {{version}} has started.',
    changed: 'Atelier {{version}} has started. The previous version was {{previous}}.',
    times: 'The bot has started {{count}} times since <t:{{since}}:f>.',
    tasks_one: 'The bot resumed {{count}} task.',
    tasks_other: 'The bot resumed {{count}} tasks.',
    unconfirmed_one:
      'The bot could not confirm whether the gateway accepted {{count}} task; its owner can retry or dismiss it.',
    unconfirmed_other:
      'The bot could not confirm whether the gateway accepted {{count}} tasks; their owners can retry or dismiss them.',
    away: 'The previous run was stopped on <t:{{awaySince}}:f>.',
    restored: 'The database was restored from a backup made at about <t:{{awaySince}}:f>, while the bot was running.',
    crashed: 'The previous run ended unexpectedly at about <t:{{awaySince}}:f>. The end of that run’s log shows why.',
  },
  unreadable_one:
    '{{count}} row of the database could not be read. It was set aside unchanged; stop the bot and run `npm run doctor` for details.',
  unreadable_other:
    '{{count}} rows of the database could not be read. They were set aside unchanged; stop the bot and run `npm run doctor` for details.',
  noCredit:
    'The gateway refused a task of type {{kind}} because the account has no credit left. The bot refuses new tasks of this type for 2 minutes, then sends the next one to try again. Add credit to the account.',
} as const;

/** The commands that each polling lane serves. */
export const lanes = {
  imgx: '`/imagine` and its follow-ups',
  'image jobs': '`/image`',
  videos: '`/video`',
  'second videos': '`/video` (endpoint `/v1/videos`)',
  'image to video': '`/video` (image to video)',
  music: '`/music`',
} as const;
