"""What commands print, in GNU Backgammon's layout: functions that give text."""
