process.stderr.write(
  'The sandbox has no page to look at yet; `npm run sandbox:gateway` starts its gateway, which can be used on its own.\n',
);
process.exitCode = 1;
