//! Starts the language server of the installed `httpcli` for request files.
use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result};

struct HttpcliExtension;

impl zed::Extension for HttpcliExtension {
    fn new() -> Self {
        Self
    }

    /// The program of the settings, otherwise the one in PATH.
    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let named = binary.as_ref().and_then(|binary| binary.path.clone());
        let command = named
            .or_else(|| worktree.which("httpcli"))
            .ok_or("httpcli was not found: install it, or set lsp.httpcli.binary.path")?;
        let args = binary.and_then(|binary| binary.arguments);
        Ok(zed::Command {
            command,
            args: args.unwrap_or_else(|| vec!["lsp".to_string()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.settings)
    }
}

zed::register_extension!(HttpcliExtension);
