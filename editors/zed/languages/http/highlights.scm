; Colours of request files. The captures are those that themes of Zed know.
(request_separator) @title
(comment) @comment
(method) @keyword
(target_url) @link_uri
(http_version) @constant
(header name: (_) @property)
(header value: (_) @string)
(variable_declaration name: (identifier) @variable.special)
(variable_declaration value: (_) @string)
(variable name: (_) @variable)
(path) @string.special
(status_code) @number
(status_text) @string
[
  "{{"
  "}}"
  "{%"
  "%}"
] @punctuation.special
[
  "="
  "<"
  ">"
] @operator
":" @punctuation.delimiter
