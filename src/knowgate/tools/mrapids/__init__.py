"""Operations as tools: one for each while the list is short, else three that find, describe and call them."""
