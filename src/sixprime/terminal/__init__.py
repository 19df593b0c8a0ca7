"""The board in a terminal: what stands behind `sixprime play`.

In goes a `Session`; people type and click. `presenter` knows what is shown, asked and done, and no terminal; `lines`
shows it as lines of text, `app` full-screen, with `board`, one drawing for all sizes. The rule kept here: rules are the
session's, and nothing waits for an engine but threads of their own.
"""

import os

# How often a second Textual draws; it reads this when it is imported. A person waits for the next time.
os.environ.setdefault("TEXTUAL_FPS", "120")
