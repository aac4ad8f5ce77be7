import { customIds } from '../../discord/custom-ids.ts';
import { FormRefusal } from '../../discord/form.ts';
import type { FieldPlan, FormPlan, MessagePlan } from '../../discord/plan.ts';
import { languagesFor } from '../../discord/reader-languages.ts';
import { truncate } from '../../discord/truncate.ts';
import { Refusal } from '../../lib/refusal.ts';
import { sayIn } from '../../locales/index.ts';
import { loadForForm } from '../../messages/pressed-task.ts';
import { modelPurposes, type OwnPreferences, type PreferenceLevel } from '../../services/orders/preference-set.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { digestsOf, latestValues, valuesOf } from '../latest-values.ts';
import { modelOrDefault } from '../options.ts';
import { preferenceFields, withEntered } from '../preference-fields.ts';
import { changeableOwner, preferencesPage, resetQuestion } from '../preference-page.ts';

type Pointer = Parameters<typeof customIds.preferences.id>[0];

async function openForm({ of, section }: Pointer, context: Context): Promise<FormPlan> {
  const { say, services } = context;
  const owner = changeableOwner(of, context);
  if (section === 'persona' && of !== 'channel') throw new Refusal('refusals.unknownButton');
  const { row } = await loadForForm(
    services.tasks.preferences.find(owner).then((found) => ({ row: found })),
    context,
  );
  const known = row ?? { set: {} };
  const fields = await preferenceFields(of, section, known, context);
  const id = customIds.preferencesFilled.id({ of, section, opened: digestsOf(fields) });
  return { id, title: say(`settings.sections.${section}`), fields };
}

/** The member may have chosen another language. */
function changedPage(of: PreferenceLevel, context: Context, before?: OwnPreferences): Promise<MessagePlan> {
  const { facts, services } = context;
  const early = services.tasks.preferences.early({ ...facts, memberId: facts.userId });
  const say = sayIn(languagesFor(facts, early).member);
  return preferencesPage(of, { ...context, say }, { canChange: true, before });
}

const filledForm = on(customIds.preferencesFilled, {
  reply: 'here',
  reopen: ({ of, section }, context) => openForm({ of, section }, context),
  // Which section it is, only the id of the form says.
  parse: (values) => values,
  async run({ of, section, opened, seen }, context, entered): Promise<MessagePlan> {
    const owner = changeableOwner(of, context);
    if (section === 'persona' && of !== 'channel') throw new Refusal('refusals.unknownButton');
    await context.services.tasks.preferences.change(owner, context.facts.userId, async (current) => {
      const fields = await preferenceFields(of, section, current, context);
      const { values, overtaken } = latestValues(entered, { opened, seen }, fields);
      if (overtaken.length > 0)
        throw new FormRefusal(
          customIds.preferencesFilled.id({ of, section, opened, seen: digestsOf(fields) }),
          'refusals.settings.overtaken',
          { field: overtaken.map(({ label }) => label), now: overtaken.map((field) => shownValue(field, context)) },
        );
      const change = withEntered(section, values);
      if (change instanceof Refusal) throw change;
      const changed = change(current);
      await assertUsable(current, changed, context);
      return changed;
    });
    return changedPage(of, context);
  },
});

const MAX_SHOWN_LENGTH = 60;

/** What a field shows as it is set now. */
function shownValue(field: FieldPlan, { say }: Context): string {
  const chosen = field.type === 'choice' ? field.options.find(({ isDefault }) => isDefault)?.label : valuesOf(field)[0];
  return truncate(chosen || say('settings.choices.unset'), MAX_SHOWN_LENGTH);
}

/** Refuses models that the gateway does not have, and text that the rules or the moderation here do not allow. */
async function assertUsable(known: OwnPreferences, changed: OwnPreferences, context: Context): Promise<void> {
  const { services, facts, origin } = context;
  const models = modelPurposes.map(
    (purpose) => [purpose, changed.set.models?.[purpose], known.set.models?.[purpose]] as const,
  );
  for (const [purpose, model, before] of [...models, ['text', changed.persona?.model, known.persona?.model] as const])
    if (model !== undefined && model !== before) await modelOrDefault(purpose, model, services);
  const { suffix } = changed.set;
  if (suffix !== undefined && suffix !== known.set.suffix)
    await services.safety.rules.assertTextAllowed({ ...origin, kind: 'imagine' }, suffix);
  const { persona } = changed;
  if (persona)
    await services.safety.rules.assertTextAllowed(
      { ...origin, kind: 'ask', guildId: facts.guildId },
      `${persona.name}\n${persona.instructions}`,
    );
}

const resetButton = on(customIds.preferencesReset, { reply: 'here', run: resetQuestion });

const resetAnswer = on(customIds.preferencesResetAnswer, {
  reply: 'here',
  async run({ of, answer }, context): Promise<MessagePlan> {
    const owner = changeableOwner(of, context);
    if (answer === 'keep') return preferencesPage(of, context, { canChange: true });
    let before: OwnPreferences = { set: {} };
    await context.services.tasks.preferences.change(owner, context.facts.userId, (current) => {
      before = current;
      return { set: {} };
    });
    return changedPage(of, context, before);
  },
});

/** A member's own settings. Its forms are also those of `/channel` and `/server defaults`. */
export const settings: Feature = {
  command: command({
    name: 'settings',
    options: {},
    run: async (_values, context) => preferencesPage('member', context, { canChange: true }),
  }),
  handlers: [on(customIds.preferences, { open: openForm }), filledForm, resetButton, resetAnswer],
};
