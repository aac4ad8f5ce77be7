import { z } from 'zod';
import type { RuleStore } from '../rules/rules.ts';
import { serverRules } from '../rules/server-rules.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

export const ruleRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(serverRules.extend({ guildId: z.string() })));

/** The content rules of admins, one row per server. */
export const storedRules = (namespace: Namespace, quarantine: Quarantine): RuleStore => ({
  async all() {
    const { good, setAside } = await ruleRows(namespace, quarantine).readAll();
    await setAside();
    return new Map([...good.values()].map(({ guildId, ...rules }) => [guildId, rules]));
  },
  async read(guildId) {
    const row = await ruleRows(namespace, quarantine).get(rowKey(guildId));
    if (!row) return undefined;
    const { guildId: _, ...rules } = row;
    return rules;
  },
  put: (guildId, rules) => namespace.put(rowKey(guildId), { guildId, ...rules }),
});
