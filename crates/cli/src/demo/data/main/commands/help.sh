echo "The corner shop. Open from 8 to 19. Bring it back within 14 days."
