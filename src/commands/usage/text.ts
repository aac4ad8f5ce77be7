export const text = {
  command: {
    description: 'Show usage and costs',
    example: '/usage by:model',
    who: 'everyone, for their own usage; the operator and admins of the bot’s admin servers, for the whole account',
    options: {
      start: 'First day (UTC), like 2026-01-31; default: 6 days before end',
      end: 'Last day (UTC), like 2026-01-31; default: today',
      by: 'Grouping of the table; default: by day',
      private: 'Private reply that only you can see',
    },
    choices: { by: { day: 'Day', model: 'Model', member: 'Member' } },
  },
  usage: {
    title: {
      account: 'Account usage',
      own: 'Your usage through this bot',
      members: 'Member usage through this bot',
    },
    left: {
      ofPeriod: 'Left: **{{left}}** of {{limit}} (resets <t:{{resets}}:R>)',
      atOnce: 'Left: **{{left}}** of {{limit}}',
    },
    heading: '**{{title}}** · {{range}} (UTC)',
    headingWithoutRange: '**{{title}}**',
    range: '{{start}} to {{end}}',
    total: 'Total: **{{total}}**',
    totalRequests_one: 'Total: **{{total}}** for {{count}} request',
    totalRequests_other: 'Total: **{{total}}** for {{count}} requests',
    requests_one: '{{count}} request',
    requests_other: '{{count}} requests',
    dollars: '{{amount}} (= {{dollars}})',
    empty: {
      account:
        'The gateway reports no usage on these days (UTC). New usage can appear late: try again later, or choose a different date range.',
      own: 'You have no usage on these days (UTC). Try a different date range.',
      members: 'No member usage was recorded on these days (UTC). Try a different date range.',
    },
    column: {
      day: 'Day',
      model: 'Model',
      member: 'Member',
      requests: 'Requests',
      amount: 'Amount',
      dollars: 'Dollars',
    },
    unknown: { day: 'unknown day', model: 'unknown model', member: 'deleted member' },
    more_one: '{{count}} more row is in the CSV file.',
    more_other: '{{count}} more rows are in the CSV file.',
    note: {
      totalOnly:
        'The requested range is {{range}}, but the gateway returned only a total without dates. It may cover all usage since the account was created.',
      otherDays_one: 'The gateway also returned {{count}} day ({{range}}) outside the requested range; it is left out.',
      otherDays_other:
        'The gateway also returned {{count}} days ({{range}}) outside the requested range; they are left out.',
      otherTotal: 'The gateway’s own total is {{total}}.',
      undated: 'The requested range is {{range}}, but some rows have no date and may belong to other days.',
      differs: 'The rows add up to {{sum}}, which differs from the gateway’s total.',
      atGateway: 'The gateway’s total for the whole account: {{total}}.',
      open_one: '{{count}} task has not ended yet and is not counted.',
      open_other: '{{count}} tasks have not ended yet and are not counted.',
      unconfirmed_one: '{{count}} task is unconfirmed and is not counted.',
      unconfirmed_other: '{{count}} tasks are unconfirmed and are not counted.',
      unpriced_one: '{{count}} task has no known cost and is counted without an amount.',
      unpriced_other: '{{count}} tasks have no known cost and are counted without an amount.',
      estimate: '~ marks an estimate from the operator’s prices.',
    },
    chart: {
      title: {
        account: {
          day: 'Account usage by day',
          model: 'Account usage by model',
          member: 'Account usage by member',
        },
        own: { day: 'Your usage by day', model: 'Your usage by model', member: 'Your usage by member' },
        members: { day: 'Member usage by day', model: 'Member usage by model', member: 'Usage by member' },
      },
      total: 'Total: {{total}}',
      totalRequests_one: 'Total: {{count}} request',
      totalRequests_other: 'Total: {{count}} requests',
      largest: 'Largest: {{label}} with {{amount}}',
      others_one: '{{count}} other',
      others_other: '{{count}} others',
      alt: 'Bar chart. {{facts}}',
    },
    buttons: { today: 'Today', week: '7 days', month: 'This month', last: 'Last month' },
  },
  refusals: {
    usageNotYours:
      'Only members who can see the account’s usage can change this message. Use `/usage` to see your own.',
  },
} as const;
