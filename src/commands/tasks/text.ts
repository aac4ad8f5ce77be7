export const text = {
  command: {
    description: 'List your tasks and their states',
    example: '/tasks state:Finished',
    who: 'everyone, for their own tasks; members with Manage Server, for all public tasks of the server',
    options: {
      text: 'Text in the prompt',
      kind: 'Kind of task',
      state: 'State of the task',
      whose: 'Your tasks, or those of the server',
    },
    choices: {
      state: {
        working: 'Queued or running',
        done: 'Finished',
        waiting: 'Finished, but not delivered',
        failed: 'Failed, cancelled or expired',
        unknown: 'Unconfirmed',
      },
      whose: { mine: 'Mine', server: 'All public tasks on this server' },
    },
  },
  /** Lists of tasks, and everything that is known of one. */
  tasks: {
    title: { mine: 'Your tasks', server: 'Public tasks on this server' },
    none: 'No tasks found. Use `/tasks` without options to see all of your tasks.',
    waiting_one: '📬 {{count}} result could not be delivered. Press **Show undelivered** to see it.',
    waiting_other: '📬 {{count}} results could not be delivered. Press **Show undelivered** to see them.',
    choose: 'Open a task',
    original: 'Original: <{{address}}>',
    originalUntil: 'Original: <{{address}}> (until <t:{{until}}:f>)',
    showAsk: 'This task is private. If you show it here, everyone in this channel sees its prompt and result.',
    visibility: { private: 'private (only you can see it)' },
    undeliverable: {
      deleted: 'its message was deleted',
      'no-way': 'the bot could not post it. Press **Show here** to see it.',
    },
    unreadable:
      'One of your tasks cannot be read, so it is no longer updated. Nothing was deleted. Contact the operator of this bot.',
    deleted: 'The message has been deleted. The task itself is kept.',
    deletedBefore: 'The message was already deleted. The task itself is kept.',
    deleteStays: 'The bot cannot delete this message. If only you can see it, dismiss it yourself: {{link}}',
    cost: {
      exact: {
        settled: '{{amount}}',
        reserved: '{{amount}}, charged only if the task succeeds',
        unconfirmed: '{{amount}}, charged only if the gateway accepted the task',
        refunded: 'none, because the task had no result (it would have cost {{amount}})',
      },
      estimate: {
        settled: '~{{amount}} (estimated from the operator’s prices)',
        reserved: '~{{amount}} (estimated from the operator’s prices), charged only if the task succeeds',
        unconfirmed:
          '~{{amount}} (estimated from the operator’s prices), charged only if the gateway accepted the task',
        refunded:
          'none, because the task had no result (it would have cost ~{{amount}}, estimated from the operator’s prices)',
      },
    },
    facts: {
      model: 'Model',
      requested: 'Requested',
      accepted: 'Accepted by the gateway',
      ended: 'Ended',
      delivered: 'Delivered',
      polls: 'Status checks',
      remoteId: 'Gateway task ID',
      seed: 'Seed',
      options: 'Options',
      cost: 'Cost',
      reason: 'Reason',
      message: 'Message',
      parent: 'Based on',
      visibility: 'Visibility',
      notDelivered: 'Not delivered',
    },
    states: {
      submitting: 'Submitting',
      accepted: 'Queued',
      queued: 'Queued',
      running: 'Running',
      'needs-input': 'Waiting for input',
      ready: 'Finished, not delivered',
      delivered: 'Finished',
      failed: 'Failed',
      expired: 'Expired',
      cancelled: 'Cancelled',
      unconfirmed: 'Unconfirmed',
    },
    buttons: {
      older: 'Older',
      newest: 'Newest',
      toWaiting: 'Show undelivered',
      back: 'Back',
      show: 'Show here',
      showMe: 'Show only to me',
      showAll: 'Show to everyone',
      retry: 'Retry',
      edit: 'Edit and retry',
      cancel: 'Cancel',
      end: 'End',
      tryAgain: 'Try again (may be charged twice)',
      dismiss: 'Dismiss',
      delete: 'Delete message',
    },
  },
  /** What is stored about a member, in their own hands. */
  ownData: {
    exported:
      'This file holds all data stored about you (tasks: {{tasks}}, usage entries: {{entries}}). Only you can see this.',
    confirm_one:
      'This deletes your {{count}} task and, where possible, the bot’s messages with its results; their buttons stop working. A task that is still running is deleted when it ends, without showing a result. Costs stay in the totals, without your name. Export your data first if you want to keep it.',
    confirm_other:
      'This deletes your {{count}} tasks and, where possible, the bot’s messages with their results; their buttons stop working. Tasks that are still running are deleted when they end, without showing a result. Costs stay in the totals, without your name. Export your data first if you want to keep it.',
    confirmAgain: 'Delete all your data permanently? This cannot be undone.',
    deleted: 'Your data has been deleted (tasks: {{tasks}}, messages: {{messages}}).',
    running_one: '{{count}} task is still running and will be deleted when it ends.',
    running_other: '{{count}} tasks are still running and will be deleted when they end.',
    left_one: 'The bot could not delete {{count}} message. If only you can see it, dismiss it yourself:',
    left_other: 'The bot could not delete {{count}} messages. If only you can see a message, dismiss it yourself:',
    more: 'And {{count}} more.',
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
    tasksNotYours:
      'Only members with Manage Server can see the tasks of others. Leave out the option `whose` to see your own.',
    tasksNoServer: 'The option `whose` works on servers only. Leave it out to see all of your own tasks.',
    messageStays: 'The message cannot be deleted right now. Try again in a minute.',
    tasksTextTooLong: 'This text is too long to search for. Use one or two words.',
  },
} as const;
