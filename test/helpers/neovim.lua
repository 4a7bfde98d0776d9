-- Drives the language server from Neovim's own client and prints what Neovim has, as JSON.
--
-- HTTPCLI_SETUP is the file of the documents that sets the client up; HTTPCLI_FILE is the request file. Neovim 0.7 has
-- no vim.lsp.start: the function here does what it does.
vim.lsp.start = vim.lsp.start or function(config)
  local id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(0, id)
  return id
end

local function get_clients()
  return vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
end

local LIMIT_MS = 60000
local result = {}

local function wait(condition, what)
  if not vim.wait(LIMIT_MS, condition, 20) then error('waited for ' .. what) end
end

local function diagnostics()
  return vim.tbl_map(function(each)
    return { code = each.code, line = each.lnum, column = each.col }
  end, vim.diagnostic.get(0))
end

local function request(method, line, character, more)
  local position = { line = line, character = character }
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = position }
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend('force', params, more or {}), LIMIT_MS)
  for _, answer in pairs(answers or {}) do
    if answer.err then error(method .. ': ' .. vim.inspect(answer.err)) end
    return answer.result
  end
end

local function main()
  dofile(vim.env.HTTPCLI_SETUP)
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.HTTPCLI_FILE))
  vim.bo.filetype = 'http'
  wait(function()
    local client = get_clients()[1]
    return client and client.server_capabilities ~= nil
  end, 'the server')
  wait(function() return #vim.diagnostic.get(0) > 0 end, 'diagnostics')
  result.diagnostics = diagnostics()

  local completion = request('textDocument/completion', 3, 7)
  result.completion = vim.tbl_map(function(item) return item.label end, completion.items or completion)
  local hover = request('textDocument/hover', 3, 7)
  result.hover = hover and hover.contents.value
  local symbols = request('textDocument/documentSymbol', 0, 0)
  result.symbols = vim.tbl_map(function(symbol) return symbol.name end, symbols)
  local definition = request('textDocument/definition', 3, 7)
  local place = vim.tbl_islist(definition) and definition[1] or definition
  result.definition = (place.range or place.targetSelectionRange).start

  vim.lsp.util.apply_workspace_edit(request('textDocument/rename', 3, 7, { newName = 'server' }), 'utf-16')
  result.renamed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  wait(function() return #vim.diagnostic.get(0) == 1 end, 'diagnostics after the rename')

  local uri = vim.uri_from_bufnr(0)
  result.sent = request('workspace/executeCommand', 0, 0, { command = 'httpcli.send', arguments = { uri, 6 } })

  vim.api.nvim_buf_set_lines(0, 5, 5, false, { '', '', '', '' })
  local edits = request('textDocument/formatting', 0, 0, { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), 'utf-16')
  result.formatted = vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local succeeded, problem = pcall(main)
if not succeeded then result.problem = tostring(problem) end
io.stdout:write(vim.json and vim.json.encode(result) or vim.fn.json_encode(result))
for _, client in ipairs(get_clients()) do client.stop() end
vim.wait(2000, function() return #get_clients() == 0 end, 20)
vim.cmd('qall!')
