import { describe, expect, it } from 'vitest';
import { formError, validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { button, longText, row, slashCommand } from './bodies.ts';

describe("Discord's error tree", () => {
  it('A form error has a branch for each step of the path, with the violations in its leaves', () => {
    const components = [row(button('a'), button('b', { label: longText(81) }))];
    expect(formError(validateBody('callback', { type: 4, data: { content: 'x', components } }))).toEqual({
      code: 50035,
      message: 'Invalid Form Body',
      errors: {
        data: {
          components: {
            0: {
              components: {
                1: {
                  label: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 80 or fewer in length.' }] },
                },
              },
            },
          },
        },
      },
    });
  });

  it('A form error for a list starts with the index of the item', () => {
    expect(formError(validateBody('commands', [slashCommand('a'), slashCommand('B')])).errors).toEqual({
      1: { name: { _errors: [{ code: 'APPLICATION_COMMAND_INVALID_NAME', message: 'Command name is invalid' }] } },
    });
  });

  it('A violation that concerns the whole body is at the root of the form error, next to deeper ones', () => {
    const faults = [
      { path: '', code: 'A', message: 'a' },
      { path: 'x.y', code: 'B', message: 'b' },
      { path: 'x', code: 'C', message: 'c' },
      { path: 'x', code: 'D', message: 'd' },
    ];
    expect(formError(faults).errors).toEqual({
      _errors: [{ code: 'A', message: 'a' }],
      x: {
        _errors: [
          { code: 'C', message: 'c' },
          { code: 'D', message: 'd' },
        ],
        y: { _errors: [{ code: 'B', message: 'b' }] },
      },
    });
  });

  it('A form error can contain any key', () => {
    const tree = formError([{ path: '__proto__', code: 'A', message: 'a' }]).errors;
    expect(JSON.stringify(tree)).toBe('{"__proto__":{"_errors":[{"code":"A","message":"a"}]}}');
  });

  it('A form error without violations is empty', () => {
    expect(formError([]).errors).toEqual({});
  });
});
