export const text = {
  command: {
    description: 'Show the events of a fine-tuning job',
    example: '/finetune id:ft-abc123 follow:True',
    options: {
      id: 'ID of the fine-tuning job, as returned by the gateway',
      follow: 'Automatic updates for up to 15 minutes',
    },
  },
  fineTune: {
    heading_one: '**Fine-tuning job** {{id}} · {{count}} event (times in UTC)',
    heading_other: '**Fine-tuning job** {{id}} · {{count}} events (times in UTC)',
    pageHeading_one: '**Fine-tuning job** {{id}} · {{count}} event, page {{page}} of {{pages}} (times in UTC)',
    pageHeading_other: '**Fine-tuning job** {{id}} · {{count}} events, page {{page}} of {{pages}} (times in UTC)',
    empty: 'The gateway has reported no events yet.',
    noResponse: 'The gateway did not respond to the last request.',
    noTime: 'unknown time',
    follow: 'Follow',
    stop: 'Stop following',
    followed:
      'Updated automatically until <t:{{until}}:t>, or until nothing new arrives for {{minutes}} min. The newest event is at the bottom.',
    ended: {
      stopped: 'No longer updated: a member stopped that.',
      quiet: 'No longer updated: nothing new arrived for a while. The last event shows whether the job has ended.',
      'too-late':
        'No longer updated: Discord allows updates for only 15 minutes. Press **Follow** to start them again.',
      gone: 'No longer updated: the gateway no longer lists the events of this job.',
    },
  },
  refusals: {
    fineTuneNotYours:
      'Only the operator and, on an admin server of the bot, its admins can see fine-tuning jobs. Ask one of them.',
    fineTuneNoId:
      'This is not the ID of a fine-tuning job. Enter it as returned by the gateway, such as `ft-abc123`, with at most 60 characters.',
    fineTuneUnknown: 'The gateway does not know the fine-tuning job {{id}}. Check the ID.',
    fineTunesNotOffered: 'This gateway does not support events of fine-tuning jobs.',
  },
} as const;
