process.stderr.write(
  'Atelier has no slash commands to register yet; `npm run sandbox:gateway` starts a gateway on this machine that can be used now.\n',
);
process.exitCode = 1;
