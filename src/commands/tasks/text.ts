export const text = {
  command: {
    description: 'List your tasks and their states',
    example: '/tasks state:Finished',
    options: {
      text: 'Text in the prompt',
      kind: 'Type of task',
      state: 'State of the task',
      whose: 'Your tasks, or all public tasks on this server',
    },
    choices: {
      state: {
        working: 'Waiting, queued or running',
        done: 'Finished',
        waiting: 'Finished, but not delivered',
        failed: 'Failed, stopped, canceled or expired',
        unknown: 'Unconfirmed',
      },
      whose: { mine: 'Mine', server: 'All public tasks on this server' },
    },
  },
  menus: { remix: 'Remix', verify: 'Verify' },
  help: {
    about: {
      remix: 'Change the prompt of a result and generate anew',
      verify: 'Check whether a message’s files were made with this bot; only you see the result',
    },
  },
  /** Whether files were made with this bot. */
  verify: {
    same: '{{name}}: made with this bot.',
    alike: '{{name}}: similar to a result of this bot.',
    task: {
      same: '{{name}}: made with this bot. It is the result of task {{reference}}.',
      alike: '{{name}}: similar to the result of task {{reference}}.',
    },
    linked: {
      same: '{{name}}: made with this bot. It is [the result]({{link}}) of task {{reference}}.',
      alike: '{{name}}: similar to [the result]({{link}}) of task {{reference}}.',
    },
    unknown: '{{name}}: not recognized.',
    notMedia: '{{name}}: not an image, video or audio file that the bot can read.',
    tooLarge: '{{name}}: not checked, because it is too large, alone or together with the others.',
    unreachable: '{{name}}: not checked, because it could not be downloaded. Try again later.',
    leftOut_one: '{{count}} more file was not checked.',
    leftOut_other: '{{count}} more files were not checked.',
    aboutAlike: 'Only their appearance was compared, and different images can look alike by chance.',
    aboutUnknown:
      'This does not prove that a file was made elsewhere. Changed files, erased tasks and results of earlier versions of the bot are not recognized.',
  },
  /** The lists of tasks, and the page of one task. */
  tasks: {
    title: { mine: 'Your tasks', server: 'Public tasks on this server' },
    none: 'No tasks found. Use `/tasks` with fewer options to find others.',
    noneYet: 'No tasks found. Use `/help` to see what you can create.',
    undelivered_one: '📬 {{count}} result could not be delivered. Press **Show undelivered** to see it.',
    undelivered_other: '📬 {{count}} results could not be delivered. Press **Show undelivered** to see them.',
    undeliveredAtLeast: '📬 At least {{count}} results could not be delivered. Press **Show undelivered** to see them.',
    choose: 'Open a task',
    original: 'Original: <{{address}}>',
    originalUntil: 'Original: <{{address}}> (available until <t:{{until}}:f>)',
    showAsk: 'This task is private. If you show it here, everyone in this channel sees its prompt and result.',
    shownByOwner: '-# Private, shown by {{owner}}. Only they can use its buttons.',
    visibility: {
      private: 'private (only you can see it, unless you show it to others)',
      held: 'private (only you and the moderators who decide about it can see it)',
    },
    undeliverable: {
      deleted: 'its message was deleted',
      'no-way': 'the bot could not post it. Press **Show here** to see it.',
    },
    unreadable:
      'One of your tasks cannot be read, so it is no longer updated. Nothing was deleted. Contact the operator of this bot.',
    deleted_one: 'The message has been deleted. The task itself is kept.',
    deleted_other: '{{count}} messages with this result have been deleted. The task itself is kept.',
    deletedBefore: 'The message was already deleted. The task itself is kept.',
    cannotDelete: 'The bot cannot delete this message. If only you can see it, dismiss it yourself: {{link}}',
    spoilerLeft: 'Not every message with this result could be changed. It is shown this way from now on.',
    cost: {
      settled: '{{cost}}',
      assumed: '{{cost}}, counted because the gateway may have accepted the task',
      reserved: '{{cost}}, charged only if the task succeeds',
      unconfirmed: '{{cost}}, charged only if the gateway accepted the task',
      released: 'no longer counted, because it was never confirmed whether the gateway accepted the task ({{cost}})',
      waived: 'none, because moderators or the rules of its server withheld the result ({{cost}})',
      refunded: 'none, because the task had no result ({{cost}})',
    },
    priceFrom: {
      operator: 'from the operator’s prices',
      gateway: 'from the gateway’s price list',
      learned: 'from what similar tasks cost',
    },
    facts: {
      model: 'Model',
      requested: 'Requested',
      accepted: 'Accepted by the gateway',
      ended: 'Ended',
      delivered: 'Delivered',
      polls: 'Status checks',
      reference: 'Reference',
      remoteId: 'Gateway task ID',
      seed: 'Seed',
      options: 'Options',
      sources: 'Values from',
      cost: 'Cost',
      left: 'Remaining',
      reason: 'Reason',
      parent: 'Based on',
      visibility: 'Visibility',
      notDelivered: 'Not delivered',
    },
    reviews: { held: 'Waiting for a moderator', deleted: 'Result withheld' },
    dismissed: 'Dismissed, outcome unknown',
    stopped: 'Stopped',
    triedAgain: 'Unconfirmed, then tried again with a newer task',
    states: {
      submitting: 'Submitting',
      accepted: 'Queued at the gateway',
      queued: 'Queued at the gateway',
      running: 'Running',
      'needs-input': 'Waiting for input',
      waiting: 'Waiting to be sent',
      ready: 'Finished, not shown yet',
      delivered: 'Finished',
      failed: 'Failed',
      expired: 'Expired',
      cancelled: 'Canceled',
      unconfirmed: 'Unconfirmed',
    },
    buttons: {
      older: 'Older',
      newest: 'Newest',
      showUndelivered: 'Show undelivered',
      back: 'Back',
      details: 'Details',
      message: 'Jump to message',
      show: 'Show here',
      showMe: 'Show only to me',
      showAll: 'Show to everyone',
      retry: 'Retry',
      edit: 'Edit and retry',
      cancel: 'Cancel',
      end: 'End',
      tryAgain: 'Try again (may be charged twice)',
      dismiss: 'Dismiss',
      hideResult: 'Hide behind a spoiler',
      showOpenly: 'Show openly',
      delete: 'Delete message',
    },
  },
  /** Export and deletion of a member's own data. */
  ownData: {
    exported:
      'This file contains all data stored about you (tasks: {{tasks}}, usage entries: {{entries}}). Only you can see this.',
    confirmNoTasks:
      'You have no tasks. This deletes your other data, such as settings, drafts and unanswered questions. Costs stay in the totals, without your name.',
    confirm_one:
      'This deletes your {{count}} task, your settings and, where possible, the bot’s messages with its results; their buttons stop working. A task that is still running is deleted when it ends, without showing a result. Costs stay in the totals, without your name. Export your data first if you want to keep it.',
    confirm_other:
      'This deletes your {{count}} tasks, your settings and, where possible, the bot’s messages with their results; their buttons stop working. Tasks that are still running are deleted when they end, without showing a result. Costs stay in the totals, without your name. Export your data first if you want to keep it.',
    confirmOwnInstall:
      'Results from your own installation of the bot, in servers and conversations without the bot, stay: press **Delete** below them first.',
    confirmAgain: 'Delete all your data permanently? This cannot be undone.',
    deleted:
      'Your data has been deleted (tasks: {{tasks}}, messages: {{messages}}). Copies and questions that only you see may stay; dismiss them yourself.',
    running_one: '{{count}} task is still running and will be deleted when it ends.',
    running_other: '{{count}} tasks are still running and will be deleted when they end.',
    left: {
      server_one:
        'The bot could not delete {{count}} message. Dismiss it if only you can see it; on a server, moderators can delete it:',
      server_other:
        'The bot could not delete {{count}} messages. Dismiss those that only you can see; on a server, moderators can delete the others:',
      direct_one:
        'The bot could not delete {{count}} message. Dismiss it if only you can see it; otherwise it stays, because no one moderates a direct message:',
      direct_other:
        'The bot could not delete {{count}} messages. Dismiss those that only you can see; the others stay, because no one moderates a direct message:',
    },
    more: '…and {{count}} more.',
    deleting:
      'Your data is being deleted, which takes a while because Discord limits how fast messages can be deleted. You will see the outcome here within 15 minutes, or later in a direct message.',
    buttons: {
      export: 'Export my data',
      delete: 'Delete my data',
      confirm: 'Delete everything',
      confirmAgain: 'Delete permanently',
    },
  },
  refusals: {
    noFileInMessage: 'This message has no file to check. Choose a message with an image, video or audio file.',
    tasksNotYours:
      'Only members with the Manage Server permission can see other members’ tasks. Leave out the option `whose` to see your own.',
    tasksNoServer: 'The option `whose` works only on servers. Leave it out to see all of your own tasks.',
    messageInUse: 'This message shows a running or newer task now. Open that task to delete it.',
    deleteFailed: 'The message cannot be deleted right now. Try again in a minute.',
    tasksTextTooLong: 'This text is too long to search for. Use one or two words.',
  },
} as const;
