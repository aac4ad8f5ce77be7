/** What is stored about a member, in their own hands. */
export const ownData = {
  exported:
    'Everything that is stored about you: {{tasks}} tasks and {{entries}} entries of the ledger. Only you see this.',
  forget:
    'This deletes all your {{tasks}} tasks, their buttons, and the bot’s messages with your results wherever it still can. Jobs that are still running go on at the gateway, are shown nowhere, and are deleted at their end. What they cost stays in the sums, without you. Your results go with it: export first what you want to keep.',
  forgetReally: 'Really? Nobody can bring any of it back.',
  forgotten: 'Deleted: {{tasks}} tasks and {{messages}} messages.',
  running_one: '{{count}} job is still under way. It is deleted when it ends.',
  running_other: '{{count}} jobs are still under way. They are deleted when they end.',
  left_one: 'The bot could not delete {{count}} message. If only you see it, dismiss it yourself:',
  left_other: 'The bot could not delete {{count}} messages. Those that only you see you can dismiss yourself:',
  more_one: 'And {{count}} more.',
  more_other: 'And {{count}} more.',
  underWay:
    'It is under way, and takes a while: Discord lets the bot delete only so many messages at a time. It goes on by itself. What came of it is said here within a quarter of an hour; if it takes longer, in a direct message.',
  buttons: {
    export: 'Export my data',
    forget: 'Delete my data',
    sure: 'Delete everything',
    really: 'Yes, delete it for good',
  },
} as const;
