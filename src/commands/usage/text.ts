export const text = {
  command: {
    description: 'What was used, and what it cost',
    example: '/usage by:model',
    who: 'everyone, their own; the whole account for whoever runs the bot or manages its server',
    options: {
      start: 'The first day (UTC), such as 2026-01-31; without it, a week up to the end',
      end: 'The last day (UTC), such as 2026-01-31; without it, today',
      by: 'What the table adds up by; without it, by day',
      private: 'Only you see the answer',
    },
    choices: { by: { day: 'Day', model: 'Model', member: 'Member' } },
  },
  usage: {
    title: {
      account: 'What the account used',
      own: 'What you used through this bot',
      members: 'What members used through this bot',
    },
    heading: '**{{title}}** · {{range}} (UTC)',
    headingUnclaimed: '**{{title}}**',
    range: '{{start}} to {{end}}',
    total: 'Total: **{{total}}**',
    totalRequests_one: 'Total: **{{total}}** for {{count}} request',
    totalRequests_other: 'Total: **{{total}}** for {{count}} requests',
    requests_one: '{{count}} request',
    requests_other: '{{count}} requests',
    dollars: '{{amount}} (= {{dollars}})',
    empty: {
      account:
        'The gateway tells of nothing for these days. The range may not cover the dates of the requests: its days are days of UTC, and what is new may come in late. Try another range.',
      own: 'You have nothing here for these days. The range may not cover the dates of your requests: its days are days of UTC. Try another range.',
      members:
        'Nobody has anything here for these days. The range may not cover the dates of the requests: its days are days of UTC. Try another range.',
    },
    column: {
      day: 'Day',
      model: 'Model',
      member: 'Member',
      requests: 'Requests',
      amount: 'Amount',
      dollars: 'Dollars',
    },
    unknown: { day: 'day not told', model: 'model not told', member: 'nobody any more' },
    more_one: '{{count}} more line is in the CSV.',
    more_other: '{{count}} more lines are in the CSV.',
    note: {
      totalOnly:
        'These dates were asked for: {{range}}. The gateway gave a total only and does not say what days it covers; it may be everything since the account began.',
      otherDays_one:
        'The gateway did not keep to the range: it sent {{count}} other day too ({{range}}), which is left out here.',
      otherDays_other:
        'The gateway did not keep to the range: it sent {{count}} other days too ({{range}}), which are left out here.',
      otherTotal: 'Its own total is not for this range: {{total}}.',
      undated:
        'These dates were asked for: {{range}}. Some rows do not say their day, so nobody can tell whether they belong to them.',
      differs: 'The rows come to {{sum}}, which is not what the gateway gives as the total.',
      atGateway: 'The gateway gives for the whole account: {{total}}.',
      open_one: '{{count}} order has not ended yet and is not counted.',
      open_other: '{{count}} orders have not ended yet and are not counted.',
      unconfirmed_one: 'Of {{count}} order nobody knows whether the gateway took it; it is not counted.',
      unconfirmed_other: 'Of {{count}} orders nobody knows whether the gateway took them; they are not counted.',
      unpriced_one: 'Of {{count}} order it is not known what it cost; it is counted without an amount.',
      unpriced_other: 'Of {{count}} orders it is not known what they cost; they are counted without an amount.',
      estimate: '~ is an estimate from prices that the operator set.',
    },
    chart: {
      subject: { account: 'What the account used', own: 'What you used', members: 'What members used' },
      title: { day: '{{title}}, by day', model: '{{title}}, by model', member: '{{title}}, by member' },
      total: 'Total {{total}}',
      totalRequests_one: 'Total {{count}} request',
      totalRequests_other: 'Total {{count}} requests',
      largest: 'Largest: {{label}} with {{amount}}',
      others_one: '{{count}} other',
      others_other: '{{count}} others',
      alt: 'Bar chart. {{facts}}',
    },
    buttons: { today: 'Today', week: '7 days', month: 'This month', last: 'Last month' },
  },
  refusals: {
    usageNotYours:
      'Only whoever may see the account can change this. What you used yourself is shown by `/usage`, to you alone.',
  },
} as const;
