export const fineTune = {
  heading: '**Fine-tune** {{id}}',
  count_one: '{{count}} event',
  count_other: '{{count}} events',
  page: 'page {{page}} of {{pages}}',
  empty: 'The gateway tells of nothing yet.',
  unknown: 'The gateway did not answer when it was asked last.',
  noTime: 'no time told',
  follow: 'Follow',
  stop: 'Stop following',
  followed: 'Kept up to date until <t:{{until}}:t>, unless nothing new comes for {{minutes}} min. The newest is last.',
  ended: {
    stopped: 'No longer kept up to date: you stopped it.',
    quiet:
      'No longer kept up to date: nothing new has come for a while. Whether the job has ended, its last event tells.',
    'too-late': 'No longer kept up to date: Discord allows a quarter of an hour for it. "Follow" begins another one.',
    gone: 'No longer kept up to date: the gateway does not tell of this fine-tune any more.',
  },
};
