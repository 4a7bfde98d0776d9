; Bodies and scripts in the colours of their languages.
((json_body) @injection.content
  (#set! injection.language "json"))

((xml_body) @injection.content
  (#set! injection.language "xml"))

((graphql_data) @injection.content
  (#set! injection.language "graphql"))

((script) @injection.content
  (#offset! @injection.content 0 2 0 -2)
  (#set! injection.language "javascript"))
