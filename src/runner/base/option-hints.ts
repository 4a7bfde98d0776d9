/** All hints that name command-line options: the language server replaces each with other words. */
export const optionHints = {
  chosenEnvironment: 'Choose an environment with -e, or define it above the request: @name = value.',
  definingEnvironment: 'Choose an environment that has it with -e:',
  authSettings:
    'Describe it in the environment file: "Security": { "Auth": { … } }, and choose the environment with -e.',
  nullValue: 'Give it a value; with --lenient it is empty.',
  processVariable: 'Set it for the process that runs httpcli, or name a file of variables with --dotenv.',
  outsideFileRoot: 'Name a directory that holds it with --file-root <dir>, if the request file may use it.',
  noFileRoot: 'Name a directory that holds the file with --file-root <dir>; a home directory is never the default.',
  protectedFile: 'Choose another file, or allow it with --file-root <dir>.',
  untrustedRepository: 'Name the file root with --file-root <dir>.',
  untrustedEnvironment: 'Change its owner or permissions, or name it with --env-file or --private-env-file.',
} as const
