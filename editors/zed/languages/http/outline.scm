; Requests in the outline, by the name after "###".
(section
  (request_separator value: (value) @name)) @item
