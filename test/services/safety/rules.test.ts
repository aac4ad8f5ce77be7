import { describe, expect, it } from 'vitest';
import { Rules } from '../../../src/services/safety/rules.ts';
import { NO_RULES, ruleSet, serverRules, withRules } from '../../../src/services/safety/server-rules.ts';

const newRules = (operatorRules = NO_RULES.rules) =>
  new Rules({ all: async () => [], get: async () => undefined, put: async () => undefined }, operatorRules);

describe('The rules of servers', () => {
  it('Rules that are borrowed from another partition again are prepared only if they have changed', () => {
    const rules = newRules();
    const read = (word: string) =>
      serverRules.parse({
        rules: ruleSet.parse({ words: [{ text: word }], patterns: [{ text: 'fox' }] }),
        history: [],
      });
    rules.borrow('den', read('casino'));
    const known = rules.get('den');
    rules.borrow('den', read('casino'));
    expect(rules.get('den')).toBe(known);
    rules.borrow('den', read('money'));
    expect(rules.get('den').rules.words).toEqual([{ text: 'money' }]);
  });

  it('Every member can press the buttons on results if the role of everyone can', async () => {
    const known = serverRules.parse({
      rules: ruleSet.parse({ pressers: { roleIds: ['900000000000000001'] } }),
      history: [],
    });
    const rules = newRules();
    rules.borrow('900000000000000001', known);
    rules.borrow('900000000000000002', known);
    const press = (guildId: string) => () =>
      rules.assertMayPress({ requesterId: '1', guildId }, { userId: '2', roleIds: [] });
    expect(press('900000000000000001')).not.toThrow();
    expect(press('900000000000000002')).toThrow('refusals.rules.press.admin');
  });

  it('Who may press buttons, private commands and personal installs follow the stricter of the operator and the server', () => {
    const strict = ruleSet.parse({ pressers: 'requester', privateCommands: ['ask'], personalInstalls: false });
    const ofServer = newRules();
    ofServer.borrow('den', { rules: strict, history: [] });
    for (const [rules, side] of [
      [newRules(strict), 'operator'],
      [ofServer, 'admin'],
    ] as const) {
      expect(() => rules.assertMayPress({ requesterId: '1', guildId: 'den' }, { userId: '2', roleIds: [] })).toThrow(
        `refusals.rules.press.${side}`,
      );
      expect(rules.isPrivateByDefault('den', 'ask')).toBe(true);
      expect(rules.isPrivateByDefault('den', 'image')).toBe(false);
      expect(rules.allowsPersonalInstalls('den')).toBe(false);
    }
    expect(newRules().allowsPersonalInstalls('den')).toBe(true);
  });

  it('Rules that are replaced by others leave nothing behind, and the history has what was removed', () => {
    const rules = ruleSet.parse({ longestPrompt: 40, allowedDomains: ['a.example'] });
    const replaced = withRules({ rules, history: [] }, ruleSet.parse({}), { by: '1', at: 0 });
    expect(replaced.rules).toEqual(ruleSet.parse({}));
    expect(replaced.history).toMatchObject([
      { what: 'allowedDomains', before: 'a.example', after: '' },
      { what: 'longestPrompt', before: '40', after: '' },
    ]);
  });
});
