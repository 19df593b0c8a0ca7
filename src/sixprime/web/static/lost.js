// Nothing is here; the page looks as its reader likes it.
import "/static/common.js";
